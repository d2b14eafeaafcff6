import { messageText } from '../../core/protocol/message-text.ts'
import type { Message } from '../../core/protocol/message.ts'
import type { RoomPolicy, Routing } from './protocol/room.ts'
import { buildLookup, type Callable } from './name-lookup.ts'
import { parseMentions } from './mentions.ts'
import { selectTargets, type TargetFacts } from './who-answers.ts'

type RoomMessage = Pick<Message, 'id' | 'role' | 'parts' | 'metadata'>

/** What agents see of an input: the text without the mentions that address them, unless it has nothing else. */
export const resolvePromptUserText = (text: string, cleanText: string): string =>
  cleanText.trim() === '' ? text : cleanText

// what the window preset last-20 keeps
export const usualHistory = 20

/** The newest messages, at least one; a limit that is no number is the usual one. */
export function selectPromptHistory<Kind>(messages: readonly Kind[], limit = usualHistory): Kind[] {
  const count = Number.isNaN(limit) ? usualHistory : Math.max(1, Math.floor(limit))
  return messages.slice(-count)
}

/**
 * The task of a workflow, of what people said: the first message, and those after it in their order. What agents
 * answered has no place in it.
 */
export function buildWorkflowTaskPrompt(userTexts: readonly string[], current = ''): string {
  const [task, ...later] = userTexts.map((text) => text.trim()).filter(Boolean)
  if (task === undefined) return current.trim()
  if (later.length === 0) return task
  const numbered = later.map((text, index) => `${index + 1}. ${text}`)
  return `${task}\n\nFollow-up messages from operator (chronological):\n${numbered.join('\n')}`
}

export interface ChatContextFacts<Kind extends RoomMessage> {
  agents: readonly Callable[]
  /** Who may be mentioned and is no agent. */
  people?: readonly Callable[]
  /** The input of a person. */
  text: string
  mode: string
  policy: RoomPolicy
  moderator?: string
  next?: number
  /** Of the mode workflow. */
  roleMap?: Readonly<Record<string, string>>
  currentNode?: string
  language?: TargetFacts['language']
  /** What was said before, oldest first. It may end with the input itself, which is then not counted twice. */
  history: readonly Kind[]
  historyLimit?: number
}

export interface ChatContext<Kind extends RoomMessage> {
  mentions: string[]
  /** People that were mentioned. */
  people: string[]
  cleanText: string
  targets: string[]
  routing: Routing
  next: number
  promptUserText: string
  /** Without the input itself. */
  promptHistory: Kind[]
  workflowTaskPrompt: string
}

/** Everything that follows from an input to a room: who answers, and what they see. */
export function buildChatContext<Kind extends RoomMessage>(facts: ChatContextFacts<Kind>): ChatContext<Kind> {
  const { text, mode, agents, people: humans = [], history } = facts
  const { mentions, people, cleanText } = parseMentions(text, buildLookup(agents, humans))
  const isWorkflow = mode === 'workflow'
  const currentNode = isWorkflow ? facts.currentNode : undefined
  const earlier = isInput(history.at(-1), text) ? history.slice(0, -1) : history
  const userTexts = earlier.filter(({ role }) => role === 'user').map(messageText)
  return {
    ...selectTargets({
      ...facts,
      mentions,
      currentNode,
      people: humans.filter(({ name }) => people.includes(name)),
    }),
    mentions,
    people,
    cleanText,
    promptUserText: resolvePromptUserText(text, cleanText),
    promptHistory: selectPromptHistory(earlier, facts.historyLimit),
    workflowTaskPrompt: buildWorkflowTaskPrompt([...userTexts, text], text),
  }
}

const isInput = (last: RoomMessage | undefined, text: string) =>
  last?.role === 'user' && messageText(last) === text
