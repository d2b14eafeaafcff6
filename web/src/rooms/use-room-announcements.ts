import { useEffect, useEffectEvent, useRef } from 'react'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { roomTexts } from './texts.ts'
import type { OpenRoom } from './use-room.ts'

// nobody listens to more of it in one go; the rest is read there
const maxSaid = 2_000

/** Says aloud who is answering, and what was said, once each. */
export function useRoomAnnouncements({ draft, messages }: OpenRoom, nameOf: (name: string) => string): void {
  const t = useTexts(roomTexts)
  const announce = useAnnounce()
  const round = draft?.rounds.at(-1)
  const roundKey = draft && round && `${draft.runId}:${round.number}`
  const begin = useEffectEvent(() => {
    const names = round?.turns.filter(({ isPrivate }) => !isPrivate).map(({ agent }) => nameOf(agent)) ?? []
    if (names.length > 0) announce(t.responding(names))
  })
  useEffect(() => {
    if (roundKey !== undefined) begin()
  }, [roundKey])

  const lastSeq = messages.at(-1)?.seq ?? 0
  const heard = useRef<number>(undefined)
  const tell = useEffectEvent((after: number) => {
    const said = messages
      .filter(({ seq, role }) => seq > after && role === 'assistant')
      .map((message) => {
        const name = typeof message.metadata?.agent === 'string' ? nameOf(message.metadata.agent) : t.room
        return message.metadata?.error ? t.failedSaid(name) : t.answered(name, messageText(message))
      })
    if (said.length > 0) announce(said.join('\n').slice(0, maxSaid).toWellFormed(), 'log')
  })
  useEffect(() => {
    // what was there when it was opened is not news
    if (heard.current !== undefined && lastSeq > heard.current) tell(heard.current)
    heard.current = lastSeq
  }, [lastSeq])
}
