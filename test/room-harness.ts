import { defaultHuman } from '../src/extensions/agents/protocol/reserved-names.ts'
import type { ModelAdapter, ModelEvent, ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { CreateAgent } from '../src/extensions/agents/protocol/agent.ts'
import type { CreateSession } from '../src/core/protocol/session.ts'
import type { Advance, SetMode } from '../src/extensions/room/protocol/room.ts'
import { advanceRoom, listRounds, readRoom, setMode } from '../src/extensions/room/rooms.ts'
import { toOptions, type OpenDatabase } from './harness.ts'

/** One call of an agent, as its model gets it. */
export interface AgentCall {
  agent: string
  request: ModelRequest
  /** All that it is sent, in one text. */
  prompt: string
  /** What it was told last. */
  told: string
  signal: AbortSignal
}

/** What an agent answers: words, pieces of them one after another, or an object. */
export type AgentScript = (call: AgentCall) => AgentWords | Promise<AgentWords>
type AgentWords = string | object | AsyncIterable<string> | ToolCall

class ToolCall {
  readonly name: string
  readonly input: object
  readonly words: string
  constructor(name: string, input: object, words: string) {
    this.name = name
    this.input = input
    this.words = words
  }
}
/** Answers with the call of a tool, and words before it. */
export const callsTool = (name: string, input: object, words = '') => new ToolCall(name, input, words)

const callerIn = { scope: 'default', actor: { type: 'user', id: 'test' }, seesAllScopes: true } as const

/** A Parley whose agents speak by a script. */
export async function openRooms(
  openDatabase: OpenDatabase,
  script: AgentScript,
  options: Partial<ParleyOptions> = {},
) {
  const database = await openDatabase()
  const calls: AgentCall[] = []
  const model: ModelAdapter = {
    id: 'scripted/room',
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const call = toCall(request, signal)
      calls.push(call)
      const words = await script(call)
      if (words instanceof ToolCall) {
        if (words.words !== '') yield { type: 'text-delta', text: words.words }
        yield {
          type: 'tool-call',
          toolCallId: `call_${calls.length}`,
          toolName: words.name,
          input: JSON.stringify(words.input),
        }
        return yield { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } }
      }
      const pieces =
        typeof words === 'string' ? [words] : Symbol.asyncIterator in words ? words : [JSON.stringify(words)]
      for await (const text of pieces) {
        signal.throwIfAborted()
        yield { type: 'text-delta', text }
      }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: call.prompt.length, outputTokens: 5 } }
    },
  }
  const parley = await createParley({
    ...toOptions(database),
    models: { extra: { scripted: () => model }, model: model.id },
    ...options,
  })
  const caller = { ...callerIn }
  return {
    parley,
    calls,
    async agent(name: string, more: Partial<CreateAgent> = {}) {
      await parley.agents.create({ name, ...more })
      return name
    },
    async room(agents: string[], more: Partial<CreateSession> = {}) {
      return (await parley.sessions.create({ agents, ...more })).id
    },
    say: (id: string, content: string, from?: string) =>
      parley.sessions.chat(id, { content, ...(from !== undefined && { from }) }),
    async advance(id: string, step: Omit<Advance, 'scope'> = {}) {
      const { run, begin } = await advanceRoom(parley.store, parley.services.rooms, caller, id, step)
      begin()
      return parley.chats.answerOf(run, new AbortController().signal)
    },
    setMode: (id: string, input: Omit<SetMode, 'scope'>) =>
      setMode(parley.store, parley.services.rooms, caller, id, input),
    read: (id: string, as?: string) => readRoom(parley.store, parley.services.rooms, caller, id, as),
    rounds: async (id: string) =>
      (
        await listRounds(parley.store, parley.services.rooms, caller, id, {
          limit: 200,
          limits: { pageSize: 200 },
        })
      ).items.toReversed(),
    /** The log as lines of who said what. */
    async log(id: string) {
      const { items } = await parley.sessions.messages(id, { limit: 200 })
      return items.map((message) => {
        const { agent, from, room } = (message.metadata ?? {}) as Record<string, string | undefined>
        return `${agent ?? (room ? '*' : (from ?? defaultHuman))}: ${messageText(message)}`
      })
    },
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

function toCall(request: ModelRequest, signal: AbortSignal): AgentCall {
  const texts = request.messages.map(({ content }) =>
    content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('\n'),
  )
  const [, displayName, name] =
    /<identity>\nYou are ([^(,]+?)(?: \(@([^)]+)\))?, one of several/.exec(request.system) ?? []
  return {
    agent: name ?? displayName ?? 'nobody',
    request,
    prompt: [request.system, ...texts].join('\n'),
    told: texts.at(-1) ?? '',
    signal,
  }
}
