import type { Logger } from 'pino'
import type { z } from 'zod'
import { describeIssues } from '../protocol/issues.ts'
import { inTime } from '../shared/time-limit.ts'
import type { AnswerOf, HookEvent, PayloadOf } from './hook.ts'

/** A hook that is ready to be asked, whatever it is. */
export interface ReadyHook {
  id: string
  event: HookEvent
  tool: string
  priority: number
  timeoutMs: number
  onFailure: 'allow' | 'deny'
  /** What it may answer. */
  answer: z.ZodType
  ask(given: PayloadOf<HookEvent>, signal: AbortSignal): unknown
}

export type ReadyHookOf<Event extends HookEvent> = ReadyHook & { event: Event }

/** The answer of a hook, or why there is none. */
export type Asked<Event extends HookEvent> = { answer: AnswerOf<Event> } | { failure: string }

/**
 * Asks one hook, within its time. A failure is logged and returned, and affects nobody else; throws only when the
 * signal aborts because nobody waits for it any more.
 */
export async function askHook<Event extends HookEvent>(
  logger: Logger,
  hook: ReadyHookOf<Event>,
  given: PayloadOf<Event>,
  signal: AbortSignal,
): Promise<Asked<Event>> {
  signal.throwIfAborted()
  try {
    const { timeoutMs, ask } = hook
    const late = `It took longer than ${timeoutMs} ms.`
    const said = await inTime({ timeoutMs, signal, late }, (limit) => ask(toCopy(given), limit))
    return { answer: read(hook.answer, said) as AnswerOf<Event> }
  } catch (error) {
    signal.throwIfAborted()
    const { id, event } = hook
    logger.warn({ err: error, hook: id, event }, 'a hook failed')
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Nothing that a hook does to what it was given, or answered, counts later on. */
const toCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

function read(schema: z.ZodType, said: unknown): unknown {
  const answer = said === undefined || said === null ? {} : toCopy(said)
  const result = schema.safeParse(answer)
  if (!result.success) throw new Error(`Its answer does not fit. ${describeIssues(result.error, answer)}`)
  return result.data
}
