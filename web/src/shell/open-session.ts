import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { create } from 'zustand'

const useEmbedded = create<{ sessionId?: string }>(() => ({}))

/** The session that somebody looks at: that of the page, or one that is shown inside of another page. */
export function useOpenSessionId(): string | undefined {
  const { sessionId } = useParams({ strict: false })
  const embedded = useEmbedded((state) => state.sessionId)
  return sessionId ?? embedded
}

/** Says that a session is shown inside of another page; undefined says nothing. */
export function useEmbeddedSession(sessionId: string | undefined): void {
  useEffect(() => {
    if (sessionId === undefined) return
    useEmbedded.setState({ sessionId })
    return () => useEmbedded.setState({ sessionId: undefined })
  }, [sessionId])
}
