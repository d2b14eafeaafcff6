import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { isGap, type EventFrame } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useLive, useLiveEvents } from '../api/live.tsx'
import { useScope } from '../api/scope.ts'
import {
  answerFolding,
  createConversationFeed,
  type Conversation,
  type Folding,
  type Watched,
} from './conversation.ts'
import type { Draft } from './fold.ts'
import { untilFrame } from './pace.ts'

export interface OpenConversation<Shown extends Watched = Draft> extends Conversation<Shown> {
  loadEarlier(): Promise<void>
  /** After something was sent from here: does not wait for the server to tell of it. */
  wake(): void
  /** After something was undone from here. */
  checkEnd(): void
}

export const useConversation = (sessionId: string): OpenConversation => useFeed(sessionId, answerFolding)

/** The folding must be the same object at every render. */
export function useFeed<Shown extends Watched>(
  sessionId: string,
  folding: Folding<Shown>,
): OpenConversation<Shown> {
  const client = useClient()
  const scope = useScope()
  const feed = useMemo(
    () => createConversationFeed(client, { scope, sessionId, untilSeen: untilFrame }, folding),
    [client, scope, sessionId, folding],
  )
  useEffect(() => () => feed.close(), [feed])
  const onEvent = useCallback(
    (event: EventFrame) => {
      if (!isGap(event) && event.sessionId !== sessionId) return
      if (isGap(event) || 'rolledBackTo' in event.data) feed.checkEnd()
      feed.wake()
    },
    [feed, sessionId],
  )
  useLiveEvents(onEvent)
  const { isConnected } = useLive()
  useEffect(() => {
    if (!isConnected) return
    feed.checkEnd()
    feed.wake()
  }, [feed, isConnected])
  const conversation = useSyncExternalStore(feed.subscribe, feed.get)
  return useMemo(
    () => ({ ...conversation, loadEarlier: feed.loadEarlier, wake: feed.wake, checkEnd: feed.checkEnd }),
    [conversation, feed],
  )
}
