import { pino } from 'pino'
import type { TurnHooks } from '../src/core/chat/turn-hooks.ts'
import { createChatRuns } from '../src/core/chat/chat-runs.ts'
import { createChats, type Chats } from '../src/core/chat/chats.ts'
import { defaultChatLimits, type ChatLimits } from '../src/core/chat/turn-limits.ts'
import type { DiskContext } from '../src/core/chat/prompt-context.ts'
import type { TurnInput } from '../src/core/chat/turn-input.ts'
import { createTurns } from '../src/core/chat/turn-run-kind.ts'
import { createRunEngine } from '../src/core/runs/run-engine.ts'
import type { ModelAdapter, ModelEvent, ModelRequest } from '../src/core/models/adapter.ts'
import type { RunEvent } from '../src/core/protocol/chunk.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import type { WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { createWindows } from '../src/core/sessions/window/windows.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import type { Store } from '../src/core/store/store.ts'
import type { Tool } from '../src/core/tools/tool.ts'
import { memorySource, memoryTurnHooks, type MemoryHooks } from '../src/extensions/memory/turn-memory.ts'
import type { OpenDatabase } from './harness.ts'

/** What a model does at its n-th call: events to tell, an error to throw, or a promise to wait for. */
export type Script = (request: ModelRequest, call: number) => (ModelEvent | Error | Promise<unknown>)[]

export const says = (...texts: string[]): ModelEvent[] => [
  ...texts.map((text): ModelEvent => ({ type: 'text-delta', text })),
  { type: 'finish', reason: 'stop', usage: { inputTokens: 10, outputTokens: 5 } },
]

export const calls = (...toolCalls: [name: string, input: unknown][]): ModelEvent[] => [
  ...toolCalls.map(([toolName, input], index): ModelEvent => ({
    type: 'tool-call',
    toolCallId: `call-${toolName}-${index}`,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  })),
  { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } },
]

/** A model that does as it is told, and remembers what it was sent. */
export function createScripted(script: Script): ModelAdapter & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted/test',
    requests,
    async *stream(request, signal) {
      signal.throwIfAborted()
      requests.push(structuredClone(request))
      for (const item of script(request, requests.length)) {
        if (item instanceof Promise) {
          const aborted = new Promise<never>((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          )
          await Promise.race([item, aborted])
        } else if (item instanceof Error) throw item
        else yield item
      }
    },
  }
}

/** What one part does around turns; with what it remembers. */
export type TestHooks = TurnHooks & MemoryHooks

export interface TestChat extends AsyncDisposable {
  store: Store
  chats: Chats
  sessionId: string
  input(text: string, more?: Partial<TurnInput>): TurnInput
  /** Sends an input and answers everything that happened. */
  ask(text: string, more?: Partial<TurnInput>): Promise<{ events: RunEvent[]; runId: string }>
  /** Waits for the resize that a turn left behind. */
  settled(id?: string): Promise<void>
}

export async function openChat(
  openDatabase: OpenDatabase,
  model: ModelAdapter,
  options: {
    tools?: Tool[]
    limits?: Partial<ChatLimits>
    hooks?: TestHooks | readonly TestHooks[]
    session?: WindowSettings
    windowHandlers?: WindowHandlers
    disk?: () => Partial<DiskContext>
  } = {},
): Promise<TestChat> {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope('default')
  const { id: sessionId } = await store.createSession({ scope: 'default' })
  const ids = createIds(systemClock)
  const logger = pino({ level: 'silent' })
  const windows = createWindows({
    store,
    logger,
    requireModel: () => model,
    settings: options.session,
    handlers: options.windowHandlers,
  })
  const limits = { ...defaultChatLimits, ...options.limits }
  const engine = createRunEngine({ store, logger, owner: async () => 'test', takesUpRuns: true, ...limits })
  const runs = createChatRuns({ store, engine, requireModel: () => model, windows, ids, limits })
  const contributions = [options.hooks ?? []].flat()
  const { runKind, prompts } = createTurns({
    store,
    kinds: engine,
    windows,
    requireModel: () => model,
    tools: options.tools ?? [],
    contextReaders: [() => options.disk?.() ?? {}],
    clock: systemClock,
    ids,
    logger,
    limits,
    hooks: contributions.flatMap((hooks) => [hooks, memoryTurnHooks(hooks, logger)]),
    sources: contributions.map((hooks) => memorySource(hooks, logger)),
  })
  engine.register('turn', runKind)
  engine.start()
  const chats = createChats({ engine, runs, prompts, windows })
  const place = { scope: 'default', sessionId }
  const input = (text: string, more: Partial<TurnInput> = {}): TurnInput => ({
    message: { id: ids.next('msg'), parts: [{ type: 'text', text }] },
    ...more,
  })
  return {
    store,
    chats,
    sessionId,
    input,
    async ask(text, more) {
      const { run, begin } = await chats.admit(store, place, input(text, more))
      begin()
      const events: RunEvent[] = []
      for await (const batch of chats.observe(run.id, { signal: AbortSignal.timeout(100_000) }))
        events.push(...batch)
      return { events, runId: run.id }
    },
    settled: (id = sessionId) => windows.settled(id),
    async [Symbol.asyncDispose]() {
      await chats.close(1_000)
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
