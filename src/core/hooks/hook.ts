import { z } from 'zod'
import type { MemoryLayer, MemoryType } from '../../extensions/memory/protocol/memory.ts'
import type { Access } from '../tools/tool.ts'

/** A call of a tool, as a hook sees it: a copy, changing it changes nothing. */
export interface HookedCall {
  scope: string
  sessionId: string
  runId: string
  toolCallId: string
  tool: string
  /** Another tool that really does it, where this one only hands the call on (`mcp_call`). */
  handsOnTo?: string
  /** As rules call it; `use` for a tool that rules are not about. */
  action: string
  effect: Access['effect']
  /** Absolute paths, a command, a URL. */
  resources: readonly string[]
  input: unknown
}

export interface FinishedCall extends HookedCall {
  output?: unknown
  /** Why there is no output. */
  error?: string
}

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
  /** What memories are looked for with. */
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

/** What a hook of each event may answer; left out is no opinion. */
export const answerSchemas = {
  PreToolUse: z.strictObject({
    decision: z.enum(['allow', 'ask', 'deny']).optional(),
    reason: z.string().optional(),
    /** The call is made with this instead. */
    input: z.unknown().optional(),
    /** Told to the model with the result. */
    additionalContext: z.string().optional(),
  }),
  PostToolUse: z.strictObject({
    /** The model sees this instead, also in place of an error. */
    output: z.unknown().optional(),
    additionalContext: z.string().optional(),
  }),
  PreMemoryInject: z.strictObject({
    /** The ids of those to keep. */
    memories: z.array(z.string()).optional(),
    /** Memories are looked for with this instead. */
    query: z.string().optional(),
  }),
  PostMemoryExtract: z.strictObject({
    /** The ids of those that are not stored. */
    exclude: z.array(z.string()).optional(),
  }),
}

export type HookEvent = keyof typeof answerSchemas
export type AnswerOf<Event extends HookEvent> = z.infer<(typeof answerSchemas)[Event]>

export interface HookPayloads {
  PreToolUse: HookedCall
  PostToolUse: FinishedCall
  PreMemoryInject: InjectedMemories
  PostMemoryExtract: ExtractedMemories
}

interface Registration<Event extends HookEvent> {
  event: Event
  /** In the audit and in logs; one that is registered later for the same event takes its place. */
  id?: string
  /** Lower ones go first; default 100. */
  priority?: number
  /** Default: that of all hooks, 10,000. */
  timeoutMs?: number
}

/** Of hooks about tools. */
interface ToolRegistration {
  /** A name, or a pattern with `*`; default `*`. */
  tool?: string
}

interface Guarding {
  /** When it throws or does not answer in time: `allow` goes on as if there were no hook, which is the default. */
  onFailure?: 'allow' | 'deny'
}

type About<Event extends HookEvent> = Registration<Event> &
  (Event extends 'PreToolUse' | 'PostToolUse' ? ToolRegistration : unknown) &
  (Event extends 'PreToolUse' ? Guarding : unknown)

type MaybeAnswer<Event extends HookEvent> = AnswerOf<Event> | undefined | void

type HookOf<Event extends HookEvent> = About<Event> & {
  /** May be called again for the same thing after a restart. The signal says that nobody waits any more. */
  run(given: HookPayloads[Event], signal: AbortSignal): MaybeAnswer<Event> | Promise<MaybeAnswer<Event>>
}

/** A function that is asked when something happens. */
export type Hook = { [Event in HookEvent]: HookOf<Event> }[HookEvent]

/** A program that is asked: the payload is JSON on its standard input, its answer JSON on its standard output. */
export interface CommandHook extends Registration<HookEvent>, ToolRegistration, Guarding {
  /** The program and its arguments; no shell reads them. */
  command: readonly string[]
}
