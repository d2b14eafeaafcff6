import { z } from 'zod'
import type { Access } from '../tools/tool.ts'

/** A call of a tool, as a hook sees it: a copy, changing it changes nothing. */
export interface HookedCall {
  scope: string
  sessionId: string
  runId: string
  toolCallId: string
  tool: string
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

/** What a hook of each event may answer; left out is no opinion. There are more, of turns and of extensions. */
export const toolHookEvents = {
  PreToolUse: z.strictObject({
    decision: z.enum(['allow', 'ask', 'deny']).optional(),
    reason: z.string().optional(),
    /** The call is made with this instead. */
    input: z.unknown().optional(),
    /** Sent to the model with the result. */
    additionalContext: z.string().optional(),
  }),
  PostToolUse: z.strictObject({
    /** The model sees this instead, also in place of an error. */
    output: z.unknown().optional(),
    additionalContext: z.string().optional(),
  }),
} satisfies AnswerSchemas

/** What hooks may answer, by event. */
export type AnswerSchemas = Readonly<Record<string, z.ZodType>>

/** What a hook of each event is given, and what it answers; an extension declares its own here. */
export interface HookEvents {
  PreToolUse: { given: HookedCall; answer: z.infer<typeof toolHookEvents.PreToolUse> }
  PostToolUse: { given: FinishedCall; answer: z.infer<typeof toolHookEvents.PostToolUse> }
}

export type HookEvent = keyof HookEvents
export type PayloadOf<Event extends HookEvent> = HookEvents[Event]['given']
export type AnswerOf<Event extends HookEvent> = HookEvents[Event]['answer']

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
  /** When it throws or does not answer in time: `allow` continues as if there were no hook, which is the default. */
  onFailure?: 'allow' | 'deny'
}

type About<Event extends HookEvent> = Registration<Event> &
  (Event extends 'PreToolUse' | 'PostToolUse' ? ToolRegistration : unknown) &
  (Event extends 'PreToolUse' | 'PreTurn' ? Guarding : unknown)

type MaybeAnswer<Event extends HookEvent> = AnswerOf<Event> | undefined | void

type HookOf<Event extends HookEvent> = About<Event> & {
  /** May be called again for the same thing after a restart. The signal aborts when nobody waits any more. */
  run(given: PayloadOf<Event>, signal: AbortSignal): MaybeAnswer<Event> | Promise<MaybeAnswer<Event>>
}

/** A function that is asked when something happens. */
export type Hook = { [Event in HookEvent]: HookOf<Event> }[HookEvent]

/** A program that is asked: the payload is JSON on its standard input, its answer JSON on its standard output. */
export interface CommandHook extends Registration<HookEvent>, ToolRegistration, Guarding {
  /** The program and its arguments; no shell reads them. */
  command: readonly string[]
}
