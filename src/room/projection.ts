/** The log of a room as one agent is told it: its own words are its own, those of others are attributed. */
import { messageText } from '../protocol/message-text.ts'
import type { Message, Part } from '../protocol/message.ts'
import type { RoomMessageMetadata } from '../protocol/room.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import { attribute } from './attribute.ts'
import { resolvePromptUserText } from './context.ts'
import { findDisplayName } from './display-name.ts'
import { buildLookup } from './lookup.ts'
import { parseMentions } from './mentions.ts'
import type { RoomFacts } from './modes/mode.ts'

export interface Projection {
  /** What came before its own last words, in turns. */
  earlier: MessageToAppend[]
  /** What was said since. */
  parts: Part[]
}

const nothingNew = 'It is your turn.'

export function project(messages: readonly Message[], agent: string, facts: RoomFacts): Projection {
  const lookup = buildLookup(facts.agents)
  const known = [...facts.agents, ...facts.humans]
  const earlier: MessageToAppend[] = []
  let texts: string[] = []
  let files: Part[] = []
  const takeHeard = () => {
    const heard = toParts(texts, files)
    texts = []
    files = []
    return heard
  }
  for (const message of messages) {
    const text = messageText(message).trim()
    const metadata = (message.metadata ?? {}) as RoomMessageMetadata
    if (message.role === 'assistant' && metadata.agent === agent) {
      if (text === '') continue
      earlier.push(
        { role: 'user', parts: takeHeard() },
        { role: 'assistant', parts: [{ type: 'text', text }] },
      )
      continue
    }
    files.push(...(message.role === 'user' ? message.parts.filter(({ type }) => type === 'file') : []))
    if (text !== '') texts.push(attributed(text, message.role, metadata))
  }
  return { earlier, parts: takeHeard() }

  function attributed(text: string, role: Message['role'], { agent: speaker, from }: RoomMessageMetadata) {
    if (role === 'assistant')
      return attribute(speaker === undefined ? 'room' : findDisplayName(known, speaker), text)
    const { mentions, cleanText } = parseMentions(text, lookup)
    const to = mentions.map((name) => findDisplayName(known, name))
    return attribute(
      // an agent may go by the name of a person
      findDisplayName(facts.humans, from ?? facts.humans[0]!.name),
      resolvePromptUserText(text, cleanText),
      to.length > 0 ? to : undefined,
    )
  }
}

const toParts = (texts: string[], files: Part[]): Part[] => [
  { type: 'text', text: texts.length > 0 ? texts.join('\n') : nothingNew },
  ...files,
]
