import { EllipsisVertical } from 'lucide-react'
import type { EventHook } from '../../../src/client/index.ts'
import { useTexts } from '../app/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { cronsTexts } from './crons-texts.ts'
import { formatFilter } from './hook-draft.ts'
import { StatusTag } from './status-tag.tsx'

interface Props {
  hook: EventHook
  actions: readonly MenuItem[]
}

export function HookRow({ hook, actions }: Props) {
  const t = useTexts(cronsTexts)
  const { name, event, filter, prompt, status, reason, starts, skipped, maxPerHour, lastStartedAt } = hook
  const conditions = formatFilter(filter)
  return (
    <li className="flex items-start gap-2 px-4 py-3 hover:bg-hover">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 font-medium">
            <bdi>{name}</bdi>
          </h2>
          <StatusTag status={status} />
        </div>
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
        {reason !== undefined && (
          <p className="text-sm text-warning">
            {t.why}: <bdi>{reason}</bdi>
          </p>
        )}
        <p className="mt-1 text-sm text-muted">
          {[t.starts(starts), t.skippedEvents(skipped), t.perHour(maxPerHour)].join(' · ')}
          {' · '}
          {lastStartedAt ? (
            <>
              {t.lastStarted}: <RelativeTime time={lastStartedAt} />
            </>
          ) : (
            t.neverStarted
          )}
        </p>
      </div>
      <Menu
        items={actions}
        trigger={
          <IconButton label={t.actionsOf(name)}>
            <EllipsisVertical />
          </IconButton>
        }
      />
    </li>
  )
}
