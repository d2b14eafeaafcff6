import type { EventHook } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { cronsTexts } from './texts.ts'
import { formatFilter } from './hook-draft.ts'
import { TriggerRow } from './trigger-row.tsx'

interface Props {
  hook: EventHook
  actions: readonly MenuItem[]
}

export function HookRow({ hook, actions }: Props) {
  const t = useTexts(cronsTexts)
  const { name, event, filter, prompt, starts, skipped, maxPerHour, lastStartedAt } = hook
  const conditions = formatFilter(filter)
  const title = (
    <h2 className="min-w-0 font-medium">
      <bdi>{name}</bdi>
    </h2>
  )
  const history = (
    <p className="mt-1 text-sm text-muted">
      {[t.starts(starts), t.skippedEvents(skipped), t.perHour(maxPerHour)].join(' · ')}
      {' · '}
      {lastStartedAt ? (
        <>
          {t.lastStarted} <RelativeTime time={lastStartedAt} />
        </>
      ) : (
        t.neverStarted
      )}
    </p>
  )
  return (
    <TriggerRow trigger={hook} title={title} history={history} actions={actions}>
      <p className="text-sm text-muted">
        <code>{event}</code>
        {conditions !== '' && (
          <>
            {' · '}
            {t.filter}: <bdi className="whitespace-pre-wrap">{conditions.replaceAll('\n', ', ')}</bdi>
          </>
        )}
      </p>
      <p className="line-clamp-2 text-sm">
        <bdi>{prompt}</bdi>
      </p>
    </TriggerRow>
  )
}
