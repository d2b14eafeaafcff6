import { z } from 'zod'
import type { AnswerSchemas } from '../../core/hooks/hook.ts'
import type { MemoryLayer, MemoryType } from './protocol/memory.ts'

export interface HookedMemory {
  /** Of what is not stored yet: a number of this call. */
  id: string
  layer: MemoryLayer
  type: MemoryType
  text: string
}

export interface InjectedMemories {
  scope: string
  sessionId: string
  /** The query that memories are searched with. */
  query: string
  memories: readonly HookedMemory[]
}

export interface ExtractedMemories {
  scope: string
  /** The turn after which it was learned. */
  sessionId: string
  runId: string
  memories: readonly HookedMemory[]
}

/** What hooks about memories may answer; left out is no opinion. */
export const memoryHookEvents = {
  PreMemoryInject: z.strictObject({
    /** The ids of those to keep. */
    memories: z.array(z.string()).optional(),
    /** Memories are searched with this instead. */
    query: z.string().optional(),
  }),
  PostMemoryExtract: z.strictObject({
    /** The ids of those that are not stored. */
    exclude: z.array(z.string()).optional(),
  }),
} satisfies AnswerSchemas

declare module '../../core/hooks/hook.ts' {
  interface HookEvents {
    PreMemoryInject: { given: InjectedMemories; answer: z.infer<typeof memoryHookEvents.PreMemoryInject> }
    PostMemoryExtract: {
      given: ExtractedMemories
      answer: z.infer<typeof memoryHookEvents.PostMemoryExtract>
    }
  }
}
