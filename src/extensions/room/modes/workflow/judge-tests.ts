import type { CommandOutcome } from '../mode.ts'
import { boundedEnd } from './bounded.ts'
import type { WorkflowState } from './state.ts'

// of each of at most twenty commands, in the state and in the coder's prompt
const maxOutput = 4_000

/** As they are kept. */
export const toTests = (outcomes: readonly CommandOutcome[]): CommandOutcome[] =>
  outcomes.map(({ output, ...rest }) => ({
    ...rest,
    ...(output !== undefined && { output: boundedEnd(output, maxOutput) }),
  }))

/** A blocked command proves nothing about the work: only those that ran count. */
export function judgeTests(
  { round, failed, commandPolicy }: WorkflowState,
  tests: readonly CommandOutcome[],
): 'passed' | 'failed' | 'failed_again' | 'blocked' | 'ask_again' {
  const ran = tests.filter(({ status }) => status !== 'blocked')
  if (ran.length === 0) {
    const areUnknown = tests.every(({ reason }) => reason === 'allowlist_mismatch')
    return commandPolicy === 'resilient' && areUnknown ? 'ask_again' : 'blocked'
  }
  const failures = failedCommands(ran)
  if (failures.length === 0) return 'passed'
  const before = failed?.round === round - 1 ? failed.commands : []
  return failures.some((command) => before.includes(command)) ? 'failed_again' : 'failed'
}

/** By their words: two spaces in place of one make no other command. */
export const failedCommands = (tests: readonly CommandOutcome[]): string[] =>
  tests
    .filter(({ status }) => status === 'failed')
    .map(({ command }) => command.trim().replaceAll(/\s+/g, ' '))
