import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { isGap, type EventFrame } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useLive, useLiveEvents } from '../api/live.tsx'
import { useScope } from '../api/scope.ts'
import { createConversationFeed, type Conversation } from './conversation.ts'
import { untilFrame } from './pace.ts'

export interface OpenConversation extends Conversation {
  loadEarlier(): Promise<void>
  /** After something was sent from here: does not wait for the server to tell of it. */
  wake(): void
  /** After something was undone from here. */
  checkEnd(): void
}

export function useConversation(sessionId: string): OpenConversation {
  const client = useClient()
  const scope = useScope()
  const feed = useMemo(
    () => createConversationFeed(client, { scope, sessionId, untilSeen: untilFrame }),
    [client, scope, sessionId],
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
