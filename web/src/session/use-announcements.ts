import { useEffect, useEffectEvent, useRef } from 'react'
import type { Conversation } from '../../../src/client/index.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { sessionTexts } from './texts.ts'

const stillWorkingMs = 7_000
// nobody listens to more of it in one go, and a line of a hundred thousand letters holds the page up; the rest is read there
const maxSaid = 2_000

/** Says aloud that an answer is coming, that it still is, and then the answer, once. */
export function useAnnouncements({ draft, messages }: Conversation): void {
  const t = useTexts(sessionTexts)
  const announce = useAnnounce()
  const runId = draft?.runId
  const watched = useRef<string>(undefined)

  const begin = useEffectEvent(() => announce(t.responding))
  const goOn = useEffectEvent(() => announce(t.stillWorking))
  useEffect(() => {
    if (runId === undefined) return
    watched.current = runId
    begin()
    const timer = setInterval(() => goOn(), stillWorkingMs)
    return () => clearInterval(timer)
  }, [runId])

  const end = useEffectEvent((log: Conversation['messages']) => {
    const answer = log.findLast(({ metadata }) => metadata?.runId === watched.current)
    if (!answer) return
    watched.current = undefined
    const text = messageText(answer)
    const said = text.length > maxSaid ? `${text.slice(0, maxSaid).toWellFormed()} …` : text
    announce(`${t.assistant}: ${said}`, 'log')
  })
  useEffect(() => {
    if (runId === undefined && watched.current !== undefined) end(messages)
  }, [runId, messages])
}
