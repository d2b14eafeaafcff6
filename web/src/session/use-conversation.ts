import { useEffect, useMemo, useSyncExternalStore } from 'react'
import {
  answerFolding,
  type AnswerDraft,
  type Conversation,
  type Folding,
  type FollowedSession,
  type RunDraft,
} from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useLive } from '../api/live.tsx'
import { useScope } from '../api/scope.ts'
import { untilFrame } from './until-frame.ts'

export type OpenConversation<Draft extends RunDraft = AnswerDraft> = Conversation<Draft> &
  Pick<FollowedSession<Draft>, 'loadEarlier' | 'refresh'>

export const useConversation = (sessionId: string): OpenConversation =>
  useFoldedConversation(sessionId, answerFolding)

/** The folding must be the same object at every render. */
export function useFoldedConversation<Draft extends RunDraft>(
  sessionId: string,
  folding: Folding<Draft>,
): OpenConversation<Draft> {
  const client = useClient()
  const scope = useScope()
  const { subscribe: events, isConnected } = useLive()
  const followed = useMemo(
    () => client.sessions.follow(sessionId, { scope, events, untilShown: untilFrame, folding }),
    [client, scope, events, sessionId, folding],
  )
  const conversation = useSyncExternalStore(followed.subscribe, followed.get)
  useEffect(() => {
    if (isConnected) followed.refresh()
  }, [followed, isConnected])
  return useMemo(
    () => ({ ...conversation, loadEarlier: followed.loadEarlier, refresh: followed.refresh }),
    [conversation, followed],
  )
}
