import { useEffect, useState } from 'react'
import type { Lock } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { formatLeft } from '../ui/format-left.ts'
import { useSessionTitle } from '../api/use-session-title.ts'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { Tag } from '../ui/tag.tsx'
import { locksTexts } from './texts.ts'

interface Props {
  lock: Lock
  onRelease(): void
}

/** What is held, by whom, and for how long yet. */
export function LockRow({ lock, onRelease }: Props) {
  const t = useTexts(locksTexts)
  const session = useSessionTitle(lock.sessionId)
  const { resourceType, resourceId, sessionId, reason, since, expiresAt } = lock
  const title = lock.title || t.untitled
  return (
    <li className="flex items-start gap-3 px-3 py-2.5" data-lock={resourceId}>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <h3 className="min-w-0 font-medium">
            <bdi>{title}</bdi>
          </h3>
          <Tag>{t.types[resourceType]}</Tag>
        </div>
        {reason !== undefined && (
          <p className="text-sm">
            <bdi>{reason}</bdi>
          </p>
        )}
        <p className="text-sm text-muted">
          {t.heldBy}{' '}
          <SessionLink sessionId={sessionId}>
            <bdi>{session}</bdi>
          </SessionLink>{' '}
          · {t.since} <RelativeTime time={since} /> · <ExpiresIn time={expiresAt} />
        </p>
      </div>
      <Button size="small" variant="danger" aria-label={t.releaseOf(title)} onClick={onRelease}>
        {t.release}
      </Button>
    </li>
  )
}

/** Ticks. Only shown: whether it still holds is for the server to say, whose clock may be another. */
function ExpiresIn({ time }: { time: string }) {
  const t = useTexts(locksTexts)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = new Date(time).getTime() - now
  return (
    <span role="timer" className="whitespace-nowrap tabular-nums">
      {left > 0 ? t.expiresIn(formatLeft(left)) : t.expired}
    </span>
  )
}
