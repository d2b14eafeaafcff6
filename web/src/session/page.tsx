import { useParams } from '@tanstack/react-router'
import { SessionView } from './session-view.tsx'

export function Page() {
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string }
  return sessionId === undefined ? null : <SessionView key={sessionId} sessionId={sessionId} />
}
