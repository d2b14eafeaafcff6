import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Lock } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { lockKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { LockRow } from './lock-row.tsx'
import { locksTexts } from './texts.ts'
import { ReleaseLock } from './release-lock.tsx'

// a lock that is renewed or runs out tells nobody
const lookMs = 15_000

/** What sessions hold; a person can take it from them. */
export function LocksSection() {
  const t = useTexts(locksTexts)
  const client = useClient()
  const scope = useScope()
  const [released, setReleased] = useState<Lock>()
  const intro = useRef<HTMLParagraphElement>(null)
  const { data, error, refetch } = useQuery({
    queryKey: lockKeys.locks({ scope }),
    queryFn: () => client.locks.list({ scope }),
    staleTime: 0,
    refetchInterval: lookMs,
  })
  return (
    <>
      <p ref={intro} tabIndex={-1} className="text-muted outline-none">
        {t.intro}
      </p>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <Empty>{t.none}</Empty>
      ) : (
        <ul aria-label={t.list} className="divide-y divide-line rounded-lg border border-line">
          {data.items.map((lock) => (
            <LockRow
              key={`${lock.resourceType}:${lock.resourceId}`}
              lock={lock}
              onRelease={() => setReleased(lock)}
            />
          ))}
        </ul>
      )}
      {released && (
        <ReleaseLock
          lock={released}
          onClose={() => setReleased(undefined)}
          // its row goes away, and the button that opened this with it
          onReleased={() => requestAnimationFrame(() => intro.current?.focus())}
        />
      )}
    </>
  )
}
