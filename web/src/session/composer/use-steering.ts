import { useState } from 'react'
import type { OpenConversation } from '../use-conversation.ts'
import type { Waiting } from './use-queue.ts'

export interface Steering {
  messageId: string
  text: string
}

/** What was said into the running turn and has not been read by it yet; between its steps it becomes a part of the answer. */
export function useSteering(
  { draft, messages }: OpenConversation,
  queue: readonly Waiting[],
  isRunning: boolean,
): { pending: readonly Steering[]; add(steering: Steering): void } {
  const [all, setAll] = useState<readonly Steering[]>([])
  if (!isRunning && all.length > 0) setAll([])
  const isRead = ({ messageId }: Steering) =>
    draft?.parts.some(({ id }) => id === messageId) ||
    queue.some((item) => item.messageId === messageId) ||
    messages.some(({ id, parts }) => id === messageId || parts.some((part) => part.id === messageId))
  return {
    pending: all.filter((steering) => !isRead(steering)),
    add: (steering) => setAll((before) => [...before, steering]),
  }
}
