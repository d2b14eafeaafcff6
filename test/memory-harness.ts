import { pino } from 'pino'
import { expect } from 'vitest'
import type { ChatLimits } from '../src/core/chat/turn-limits.ts'
import type { TurnInput } from '../src/core/chat/turn-input.ts'
import { defaultMemorySettings, type MemorySettings } from '../src/extensions/memory/memory-service.ts'
import { createMemory, type Memory } from '../src/extensions/memory/memory.ts'
import type { VectorSearch } from '../src/extensions/memory/vectors.ts'
import type { ModelAdapter, ModelRequest } from '../src/core/models/adapter.ts'
import type { MemoryLayer } from '../src/extensions/memory/protocol/memory.ts'
import type { StoredMemory } from '../src/extensions/memory/store/memory-row.ts'
import { createMemoryTool } from '../src/extensions/memory/memory-tool.ts'
import type { Tool } from '../src/core/tools/tool.ts'
import { openChat, type TestChat } from './chat-harness.ts'
import type { OpenDatabase } from './harness.ts'

export const isLearning = ({ cacheKey }: ModelRequest) => cacheKey.endsWith(':memory')

/** What a model that is to learn was given. */
export const materialOf = (request: ModelRequest): string => {
  const [content] = request.messages[0]!.content
  return content?.type === 'text' ? content.text : ''
}

const questions = { profile: '"profile"', round: '"event_log"', document: '"document"', narrative: '' }

/** Which of the questions it is. */
export const questionOf = ({ system }: ModelRequest) =>
  (Object.keys(questions) as (keyof typeof questions)[]).find((name) => system.includes(questions[name]))!

export const item = (text: string, evidence = text) => ({ text, evidence })

export interface TestMemory extends TestChat {
  memory: Memory
  /** Asks, and waits until everything is learned that will be. */
  learn(text: string, more?: Partial<TurnInput>): Promise<string>
  /** What failed after turns. */
  failures: unknown[]
  /** Active ones, in no order. */
  texts(layer: MemoryLayer, place?: { scope?: string; sessionId?: string }): Promise<string[]>
  find(layer: MemoryLayer, text: string): Promise<StoredMemory>
}

export async function openMemory(
  openDatabase: OpenDatabase,
  model: ModelAdapter,
  options: {
    settings?: Partial<MemorySettings>
    tools?: Tool[]
    vectors?: VectorSearch
    limits?: Partial<ChatLimits>
    disk?: Parameters<typeof openChat>[2] extends infer O ? (O extends { disk?: infer D } ? D : never) : never
  } = {},
): Promise<TestMemory> {
  const over = new Set<string>()
  const failures: unknown[] = []
  // the store comes with the chat, and the chat with its hooks
  let memory: Memory | undefined
  const follow = async (name: string, runId: string, work: Promise<void> | undefined) => {
    await work?.catch((error: unknown) => void failures.push(error))
    over.add(`${name} ${runId}`)
  }
  const control = new Proxy({} as Memory['control'], {
    get: (_, name) => memory!.control[name as keyof Memory['control']],
  })
  const chat = await openChat(openDatabase, model, {
    tools: [createMemoryTool(control), ...(options.tools ?? [])],
    disk: options.disk,
    limits: options.limits,
    hooks: {
      readMemories: async (...turn) => (await memory!.hooks.readMemories?.(...turn)) ?? [],
      useMemories: async (...used) => memory!.hooks.useMemories?.(...used),
      extractRound: (session, run) => follow('round', run.id, memory!.hooks.extractRound?.(session, run)),
      extractNarrative: (session, run) =>
        follow('narrative', run.id, memory!.hooks.extractNarrative?.(session, run)),
      extractDocuments: (session, run) =>
        follow('documents', run.id, memory!.hooks.extractDocuments?.(session, run)),
    },
  })
  const { store, sessionId } = chat
  memory = createMemory({
    store,
    requireModel: () => model,
    settings: { ...defaultMemorySettings, ...options.settings },
    vectors: options.vectors,
    logger: pino({ level: 'silent' }),
  })
  const list = (layer: MemoryLayer, place: { scope?: string; sessionId?: string } = {}) =>
    store.listPlace(
      { scope: 'default', layer, ...(layer === 'session' && { sessionId }), ...place },
      { status: 'active', limit: 1_000 },
    )
  return {
    ...chat,
    memory,
    failures,
    async learn(text, more = {}) {
      const { runId } = await chat.ask(text, more)
      const wanted = [
        ...(more.skipPerRoundExtract ? [] : [`round ${runId}`]),
        ...(more.skipNarrativeBatchExtract ? [] : [`narrative ${runId}`]),
        ...(more.skipDocumentExtract ? [] : [`documents ${runId}`]),
      ]
      await expect.poll(() => wanted.every((name) => over.has(name))).toBe(true)
      return runId
    },
    texts: async (layer, place) => (await list(layer, place)).map(({ text }) => text).sort(),
    async find(layer, text) {
      const found = (await list(layer)).find((known) => known.text === text)
      if (!found) throw new Error(`Nothing in layer ${layer} says ${text}.`)
      return found
    },
    async [Symbol.asyncDispose]() {
      await memory.stop()
      await chat[Symbol.asyncDispose]()
    },
  }
}
