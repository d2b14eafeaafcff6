import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { useSessionSlot } from '../shell/session-slots.tsx'
import { Loading } from '../ui/states.tsx'
import { SessionView } from './session-view.tsx'

export function Page() {
  const { sessionId } = useParams({ strict: false })
  return sessionId === undefined ? null : <Opened key={sessionId} sessionId={sessionId} />
}

/** Some sessions have a view of their own; until it is known which one it is, it is one like any other. */
function Opened({ sessionId }: { sessionId: string }) {
  const { sessions } = useClient()
  const scope = useScope()
  const { data: session } = useQuery(sessionQuery({ sessions }, sessionId, scope))
  const loadView = useSessionSlot('sessionViews', session)
  if (!session || !loadView) return <SessionView sessionId={sessionId} />
  return (
    <Suspense fallback={<Loading />}>
      <LazyView load={loadView} session={session} />
    </Suspense>
  )
}
