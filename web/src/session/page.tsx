import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isRoom } from '../../../src/core/protocol/session-kinds.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { Loading } from '../ui/states.tsx'
import { SessionView } from './session-view.tsx'

const RoomView = lazy(async () => ({ default: (await import('../rooms/room-view.tsx')).RoomView }))

export function Page() {
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string }
  return sessionId === undefined ? null : <Opened key={sessionId} sessionId={sessionId} />
}

/** A session is a room when several agents answer in it; until that is known it is one like any other. */
function Opened({ sessionId }: { sessionId: string }) {
  const { sessions } = useClient()
  const scope = useScope()
  const { data: session } = useQuery({
    queryKey: keys.session(sessionId),
    queryFn: () => sessions.get(sessionId, { scope }),
  })
  if (!session || !isRoom(session)) return <SessionView sessionId={sessionId} />
  return (
    <Suspense fallback={<Loading />}>
      <RoomView session={session} />
    </Suspense>
  )
}
