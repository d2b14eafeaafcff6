/** The log of a room as one agent sees it: its own messages are its own, those of others are attributed. */
import { messageText } from '../../core/protocol/message-text.ts'
import type { Message, Part } from '../../core/protocol/message.ts'
import type { RoomMessageMetadata } from './protocol/room.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import { visualForm } from '../../core/shared/visual-form.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'
import { attribute } from './attribute-speakers.ts'
import { displayNameOf, findDisplayName, type Named, lookupOf } from './name-lookup.ts'
import { parseMentions } from './mentions.ts'
import type { RoomFacts } from './modes/mode.ts'
import { isReserved, roomName } from '../agents/protocol/reserved-names.ts'

export interface Projection {
  /** What came before its own last words, in turns. */
  earlier: MessageToAppend[]
  /** What was said since. */
  parts: Part[]
}

export const nothingNew = 'It is your turn.'

export function project(messages: readonly Message[], agent: string, facts: RoomFacts): Projection {
  const lookup = lookupOf(facts)
  const earlier: MessageToAppend[] = []
  let texts: string[] = []
  let files: Part[] = []
  const takeMessages = () => {
    const parts = toParts(texts, files)
    texts = []
    files = []
    return parts
  }
  for (const message of messages) {
    const text = messageText(message).trim()
    const metadata = (message.metadata ?? {}) as RoomMessageMetadata
    if (message.role === 'assistant' && metadata.agent === agent) {
      if (text === '') continue
      earlier.push(
        { role: 'user', parts: takeMessages() },
        { role: 'assistant', parts: [{ type: 'text', text }] },
      )
      continue
    }
    files.push(...(message.role === 'user' ? message.parts.filter(({ type }) => type === 'file') : []))
    if (text !== '') texts.push(attributed(text, message.role, metadata))
  }
  return { earlier, parts: takeMessages() }

  function attributed(
    text: string,
    role: Message['role'],
    { agent: speaker, from, replyTo }: RoomMessageMetadata,
  ) {
    if (role === 'assistant')
      return attribute(speaker === undefined ? roomName : nameOfAgent(facts, speaker), text)
    const { mentions, people, addressed, cleanText } = parseMentions(text, lookup)
    // mentions within the sentence stay visible
    const to = addressed.length > 0 ? addressed : [...mentions, ...people]
    return attribute(
      nameOfPerson(facts, from ?? facts.humans[0]!.name),
      cleanText,
      to.map((name) => findDisplayName([...facts.agents, ...facts.humans], name)),
      isReply(replyTo) ? { 'reply-to': describeReplied(facts, replyTo) } : {},
    )
  }
}

/** Messages that were imported have whatever metadata they came with. */
const isReply = (given: unknown): given is NonNullable<RoomMessageMetadata['replyTo']> =>
  isObject(given) &&
  typeof given.text === 'string' &&
  [given.agent, given.from].every((name) => name === undefined || typeof name === 'string')

function describeReplied(
  facts: RoomFacts,
  { agent, from, text }: NonNullable<RoomMessageMetadata['replyTo']>,
): string {
  if (agent !== undefined) return `${nameOfAgent(facts, agent)}: ${text}`
  return `${from === undefined ? roomName : nameOfPerson(facts, from)}: ${text}`
}

/** Somebody who has left, or came with an import, may be called what another one is now. */
function nameOfAgent({ agents, humans }: RoomFacts, name: string): string {
  const isThere = agents.some((agent) => agent.name === name)
  const isTaken = !isThere && (isReserved(name) || isCalled(humans, name))
  return isTaken ? `${name} (an agent)` : findDisplayName(agents, name)
}

function nameOfPerson({ agents, humans }: RoomFacts, name: string): string {
  const isThere = humans.some((human) => human.name === name)
  const isTaken = !isThere && (visualForm(name) === visualForm(roomName) || isCalled(agents, name))
  return isTaken ? `${name} (a person)` : findDisplayName(humans, name)
}

const isCalled = (known: readonly Named[], name: string) =>
  known.some(
    (one) => visualForm(one.name) === visualForm(name) || visualForm(displayNameOf(one)) === visualForm(name),
  )

const toParts = (texts: string[], files: Part[]): Part[] => [
  { type: 'text', text: texts.length > 0 ? texts.join('\n') : nothingNew },
  ...files,
]
