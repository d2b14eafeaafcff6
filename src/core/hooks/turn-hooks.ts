import type { Logger } from 'pino'
import type { TurnHooks } from '../chat/turn-hooks.ts'
import { replyId } from '../runs/reply-id.ts'
import type { Run } from '../store/queries/run-row.ts'
import { askHook } from './ask-hook.ts'
import type { HookEvent, PayloadOf } from './hook.ts'
import type { Hooks } from './hooks.ts'

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
