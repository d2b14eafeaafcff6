import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { CallOutcome, HookNote, ReviewedCall } from '../tools/call-outcome.ts'
import { isNamed, strictness, type Opinion } from '../tools/permission.ts'
import { askHook, type ReadyHookOf } from './call-hook.ts'
import type { HookedCall } from './hook.ts'

/** What hooks make of a call before it is made. */
export interface Advice {
  /** The strictest of their decisions, and who decided so first. */
  opinion?: Opinion & { hook: string }
  /** What is to be run, as it was or as they changed it. */
  call: HookedCall
  changedBy: string[]
  notes: HookNote[]
}

/** What a call with another input would be; a sentence if it cannot be made. */
export type CheckChanged = (input: unknown) => HookedCall | string

const maxReason = 1_000
// a note is a hint, not a second result
const maxNote = 4_000
const maxNotes = 10_000

/**
 * Asks hooks about a call, one after the other; each sees the input as those before it left it. A no ends it at once. What
 * was allowed counts for the input that was shown: when a later hook changes that, it has to be allowed again.
 */
export async function beforeCall(
  logger: Logger,
  hooks: readonly ReadyHookOf<'PreToolUse'>[],
  given: HookedCall,
  checkChanged: CheckChanged,
  signal: AbortSignal,
): Promise<Advice> {
  const advice: Advice = { call: given, changedBy: [], notes: [] }
  for (const hook of hooks) {
    if (!isNamed(hook.tool, advice.call)) continue
    const { id: name } = hook
    const asked = await askHook(logger, hook, advice.call, signal)
    if ('failure' in asked) {
      if (hook.onFailure === 'deny')
        return deny(advice, name, `The hook ${name} failed, and nothing is done without it: ${asked.failure}`)
      continue
    }
    const { decision, reason, input, additionalContext } = asked.answer
    addNote(advice.notes, name, additionalContext)
    const why = reason?.trim() ? `${cut(reason.trim(), maxReason)} (hook ${name})` : undefined
    if (decision === 'deny') return deny(advice, name, why ?? `The hook ${name} forbids it.`)
    if (input !== undefined && !isDeepStrictEqual(input, toPlain(advice.call.input))) {
      const changed = checkChanged(input)
      if (typeof changed === 'string')
        return deny(advice, name, `The hook ${name} changed the input, and that does not fit. ${changed}`)
      advice.call = changed
      advice.changedBy.push(name)
      if (advice.opinion?.decision === 'allow') delete advice.opinion
    }
    if (decision && (!advice.opinion || strictness[decision] > strictness[advice.opinion.decision]))
      advice.opinion = { decision, hook: name, reason: why ?? defaultReasons[decision](name) }
  }
  return advice
}

const defaultReasons = {
  allow: (name: string) => `The hook ${name} allows it.`,
  ask: (name: string) => `The hook ${name} wants a person to decide.`,
}

const deny = (advice: Advice, hook: string, reason: string): Advice => ({
  ...advice,
  opinion: { decision: 'deny', hook, reason },
})

/** Lets hooks change what is seen of a finished call, one after the other. */
export async function afterCall(
  logger: Logger,
  hooks: readonly ReadyHookOf<'PostToolUse'>[],
  call: HookedCall,
  outcome: CallOutcome,
  signal: AbortSignal,
): Promise<ReviewedCall & { changedBy: string[] }> {
  const reviewed = { outcome, notes: [] as HookNote[], changedBy: [] as string[] }
  for (const hook of hooks.filter(({ tool }) => isNamed(tool, call))) {
    const seen = { ...call, ...describeOutcome(reviewed.outcome) }
    const asked = await askHook(logger, hook, seen, signal)
    if ('failure' in asked) continue
    const { output, additionalContext } = asked.answer
    addNote(reviewed.notes, hook.id, additionalContext)
    if (output === undefined) continue
    reviewed.outcome = { value: output }
    reviewed.changedBy.push(hook.id)
  }
  return reviewed
}

const describeOutcome = (outcome: CallOutcome) =>
  'value' in outcome
    ? { output: outcome.value ?? null }
    : { error: outcome.error instanceof Error ? outcome.error.message : String(outcome.error) }

function addNote(notes: HookNote[], hook: string, text: string | undefined): void {
  const left = maxNotes - notes.reduce((sum, note) => sum + note.text.length, 0)
  const note = cut(text?.trim() ?? '', Math.min(maxNote, left))
  if (note !== '') notes.push({ hook, text: note })
}

/** A cut may fall between the halves of one character. */
const cut = (text: string, max: number) =>
  text.length <= max ? text : text.slice(0, Math.max(0, max)).toWellFormed()

const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
