import { useEffect } from 'react'
import { useTexts } from '../shell/texts.ts'
import { useToast } from '../ui/toast.tsx'
import { sessionTexts } from './texts.ts'
import type { OpenConversation } from './use-conversation.ts'

/** A link may lead to a message that is far up: reads the log back until it is there. */
export function useSearchForMessage(
  wanted: string | undefined,
  conversation: Pick<OpenConversation, 'messages' | 'hasEarlier' | 'loadEarlier'>,
): void {
  const t = useTexts(sessionTexts)
  const toast = useToast()
  const { messages, hasEarlier, loadEarlier } = conversation
  const isThere = wanted === undefined || messages.some(({ id }) => id === wanted)
  useEffect(() => {
    if (isThere) return
    if (hasEarlier) void loadEarlier().catch(() => {}) // the connection bar says that nobody answers
    else toast({ title: t.messageMissing })
    // oxlint-disable-next-line react/exhaustive-deps -- once for each page that came, not for each word of the toast
  }, [isThere, hasEarlier, loadEarlier, messages.length])
}
