import type { Logger } from 'pino'
import { z } from 'zod'
import { askHook } from '../hooks/call-hook.ts'
import type { AnswerSchemas, HookEvent, PayloadOf } from '../hooks/hook.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { ModelRequest, Usage } from '../models/adapter.ts'
import type { Part } from '../protocol/message.ts'
import { replyId } from '../runs/run-record.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { TurnHooks } from './turn-hooks.ts'

interface HookedTurn {
  scope: string
  sessionId: string
  runId: string
}

/** A turn that is about to begin, or one that no process got to a model call of. */
export interface BeginningTurn extends HookedTurn {
  /** What is said. */
  parts: readonly Part[]
}

export interface EndedHookedTurn extends HookedTurn {
  status: FinalStatus
  /** A stable word for what ended it. */
  code: string
  /** Why it failed. */
  error?: string
  usage: Usage
  /** The answer as it is in the log. */
  message: { id: string; parts: readonly Part[] }
}

interface HookedModelCall extends HookedTurn {
  /** Counted from 1 in each turn. */
  step: number
  model: string
}

/** The prompt as it is sent. */
export interface BeginningModelCall
  extends HookedModelCall, Pick<ModelRequest, 'system' | 'messages' | 'tools'> {}

export interface EndedModelCall extends HookedModelCall {
  finishReason: string
  usage: Usage
}

const noAnswer = z.strictObject({})

/** What hooks around turns may answer, by event. */
export const turnHookEvents = {
  PreTurn: z.strictObject({
    decision: z.enum(['allow', 'deny']).optional(),
    /** What the turn fails with. */
    reason: z.string().optional(),
  }),
  PostTurn: noAnswer,
  PreModelCall: noAnswer,
  PostModelCall: noAnswer,
} satisfies AnswerSchemas

declare module '../hooks/hook.ts' {
  interface HookEvents {
    PreTurn: { given: BeginningTurn; answer: z.infer<typeof turnHookEvents.PreTurn> }
    PostTurn: { given: EndedHookedTurn; answer: z.infer<typeof noAnswer> }
    PreModelCall: { given: BeginningModelCall; answer: z.infer<typeof noAnswer> }
    PostModelCall: { given: EndedModelCall; answer: z.infer<typeof noAnswer> }
  }
}

/** The hooks of a program around turns and model calls. Where it has none of an event, nothing is done for it. */
export function createTurnHooks(hooks: Pick<Hooks, 'of'>, logger: Logger): TurnHooks {
  const [before, after] = [hooks.of('PreTurn'), hooks.of('PostTurn')]
  const [beforeCall, afterCall] = [hooks.of('PreModelCall'), hooks.of('PostModelCall')]

  async function refuseTurn(given: PayloadOf<'PreTurn'>, signal: AbortSignal) {
    for (const hook of before) {
      const asked = await askHook(logger, hook, given, signal)
      if ('failure' in asked) {
        if (hook.onFailure === 'allow') continue
        return refused(`The hook ${hook.id} failed, and nothing is done without it: ${asked.failure}`)
      }
      const { decision, reason } = asked.answer
      if (decision === 'deny') return refused(reason?.trim() || `The hook ${hook.id} forbids it.`)
    }
    return undefined
  }

  async function notify<Event extends HookEvent>(
    event: Event,
    given: PayloadOf<Event>,
    signal = new AbortController().signal,
  ): Promise<void> {
    for (const hook of hooks.of(event)) await askHook(logger, hook, given, signal)
  }

  return {
    ...(before.length > 0 && {
      refuse: (run, parts, signal) => refuseTurn({ ...placeOf(run), parts }, signal),
    }),
    ...(after.length > 0 && {
      turnEnded: ({ run, status, code, message: error, usage, parts }) =>
        notify('PostTurn', {
          ...placeOf(run),
          status,
          code,
          ...(error !== undefined && { error }),
          usage,
          message: { id: replyId(run), parts },
        }),
    }),
    ...(beforeCall.length > 0 && {
      beforeModelCall: ({ run, step, model, request: { system, messages, tools } }, signal) =>
        notify('PreModelCall', { ...placeOf(run), step, model, system, messages, tools }, signal),
    }),
    ...(afterCall.length > 0 && {
      afterModelCall: ({ run, step, model, finishReason, usage }) =>
        notify('PostModelCall', { ...placeOf(run), step, model, finishReason, usage }),
    }),
  }
}

const placeOf = ({ scope, sessionId, id }: Run) => ({ scope, sessionId, runId: id })

const maxReason = 1_000

const refused = (reason: string) => ({
  code: 'refused_by_hook',
  message: reason.slice(0, maxReason).toWellFormed(),
})
