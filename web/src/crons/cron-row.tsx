import { Link } from '@tanstack/react-router'
import type { Cron, CronFire } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { cronsTexts } from './texts.ts'
import { FireTag } from './fire-tag.tsx'
import { TriggerRow } from './trigger-row.tsx'

interface Props {
  cron: Cron
  /** Its schedule as a person would say it. */
  words: string
  /** The newest one; undefined when it never fired. */
  lastFire?: CronFire
  actions: readonly MenuItem[]
}

export function CronRow({ cron, words, lastFire, actions }: Props) {
  const t = useTexts(cronsTexts)
  const { id, name, timeZone, nextFireAt, failures } = cron
  const title = (
    <Link
      to="/crons"
      search={(({ scope }: { scope?: string }) => ({ scope, cron: id })) as never}
      className="line-clamp-2 min-w-0 font-medium hover:underline"
    >
      <bdi>{name}</bdi>
    </Link>
  )
  const history = (
    <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-1 text-sm [&_dd]:inline [&_dt]:inline [&_dt]:text-muted">
      <div>
        <dt>{t.next} </dt>
        <dd>{nextFireAt ? <RelativeTime time={nextFireAt} /> : t.nextNone}</dd>
      </div>
      <div>
        <dt>{t.last} </dt>
        <dd>
          {lastFire ? (
            <>
              <FireTag outcome={lastFire.outcome} /> <RelativeTime time={lastFire.fireAt} />
            </>
          ) : (
            t.lastNone
          )}
        </dd>
      </div>
    </dl>
  )
  return (
    <TriggerRow
      trigger={cron}
      title={title}
      remark={failures > 0 && <span className="text-sm text-warning">{t.inARow(failures)}</span>}
      history={history}
      actions={actions}
    >
      <p className="text-sm text-muted">
        {words} · {timeZone}
      </p>
    </TriggerRow>
  )
}
