import { invalidRequest, ParleyError, quote } from '../../core/protocol/error.ts'
import type { NodeCheck } from './protocol/plan-node.ts'
import { checkKinds, readArguments, type CheckLimits, type NodeOutcome } from './check-kinds.ts'
import { Unmet } from './checked-files.ts'

export interface Check {
  /** A failure is only reported. */
  isWarning: boolean
  /** Returns what was found; throws `Unmet` when the check does not pass. */
  run(outcome: NodeOutcome, limits: CheckLimits): Promise<string>
}

// a disk that does not respond, or a huge folder, must not block a plan
const usualLimits: CheckLimits = { maxMs: 10_000, maxAllMs: 60_000, maxEntries: 50_000 }

/** Rejects invalid checks before a node is saved with them. */
export function requireChecks(acceptance: readonly string[] = []): void {
  for (const text of acceptance) parseCheck(text)
}

export function parseCheck(text: string): Check {
  const [, mark, name = '', rest = ''] = /^\s*(\?)?\s*(\w+)\s*:(.*)$/s.exec(text) ?? []
  const kind = checkKinds.get(name)
  if (!kind) {
    const known = [...checkKinds.values()].map(({ usage }) => usage)
    throw invalidRequest(`There is no check ${quote(text)}. Known: ${known.join(', ')}.`, { known })
  }
  const given = readArguments(kind, rest)
  if (!given) throw invalidRequest(`The check ${quote(text)} must be written as ${kind.usage}.`)
  kind.require?.(given)
  return { isWarning: mark !== undefined, run: (outcome, limits) => kind.run(given, outcome, limits) }
}

/** Runs all of them, one after another. One that cannot be run has not passed. */
export async function runChecks(
  acceptance: readonly string[],
  outcome: NodeOutcome,
  limits = usualLimits,
): Promise<NodeCheck[]> {
  const endsAt = performance.now() + limits.maxAllMs
  const checks: NodeCheck[] = []
  for (const text of acceptance) {
    const maxMs = Math.min(limits.maxMs, endsAt - performance.now())
    checks.push(await runCheck(text, outcome, { ...limits, maxMs }))
  }
  return checks
}

/** Whether a node is done according to its checks. */
export const passed = (checks: readonly NodeCheck[]): boolean =>
  checks.every((check) => check.passed || check.warning)

async function runCheck(check: string, outcome: NodeOutcome, limits: CheckLimits): Promise<NodeCheck> {
  const toVerdict = (hasPassed: boolean, message: string): NodeCheck => ({
    check,
    passed: hasPassed,
    ...(/^\s*\?/.test(check) && { warning: true }),
    // what is quoted may have been cut in the middle of a character
    message: message.toWellFormed(),
  })
  try {
    return toVerdict(true, await within(limits.maxMs, () => parseCheck(check).run(outcome, limits)))
  } catch (error) {
    if (error instanceof Unmet || error instanceof ParleyError) return toVerdict(false, error.message)
    throw error
  }
}

async function within<Found>(maxMs: number, work: () => Promise<Found>): Promise<Found> {
  if (maxMs <= 0) throw new Unmet('There is no time left to look.')
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Unmet('It takes too long to look.')), maxMs)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
