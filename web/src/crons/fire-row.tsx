import type { CronFire } from '../../../src/client/index.ts'
import { useLanguage, useTexts } from '../shell/texts.ts'
import { SessionLink } from '../ui/session-link.tsx'
import { cronsTexts } from './texts.ts'
import { FireTag } from './fire-tag.tsx'
import { formatInZone } from './schedule-words.ts'

interface Props {
  fire: CronFire
  timeZone: string
}

/** One time of a cron: what became of it, why, and the session that it started. */
export function FireRow({ fire, timeZone }: Props) {
  const t = useTexts(cronsTexts)
  const language = useLanguage()
  const { fireAt, cause, outcome, reason, times, sessionId, createdAt, endedAt } = fire
  const isLeftOut = outcome === 'skipped'
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <FireTag outcome={outcome} />
        <time dateTime={fireAt} className="tabular-nums">
          {formatInZone(fireAt, timeZone, language)}
        </time>
        <span className="text-sm text-muted">
          {isLeftOut && cause === 'missed' ? t.missedCause : t.causes[cause]}
          {times > 1 && ` · ${t.times(times)}`}
          {endedAt && ` · ${t.took(formatSeconds(createdAt, endedAt, language))}`}
        </span>
        {sessionId !== undefined && (
          <SessionLink sessionId={sessionId} className="ml-auto text-sm">
            {t.openSession}
          </SessionLink>
        )}
      </div>
      {reason !== undefined && (
        <p className="text-sm text-muted">
          <bdi>{reason}</bdi>
        </p>
      )}
    </li>
  )
}

const formatSeconds = (from: string, to: string, language: string) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(
    (Date.parse(to) - Date.parse(from)) / 1_000,
  )
