import type { ProcessGroups } from '../processes/process-groups.ts'
import type { CommandHook, PayloadOf } from './hook.ts'
import { runHookCommand } from './run-hook-command.ts'

export interface CommandDeps {
  groups: ProcessGroups
  /** What programs get to see of the environment: none of Parley's secrets. */
  env: Record<string, string>
}

// as other programs of this kind have it
const denyCode = 2

/** Asks the program of a hook. Nothing on its standard output is no opinion. */
export async function askCommand(
  { groups, env }: CommandDeps,
  { event, command }: Pick<CommandHook, 'event' | 'command'>,
  given: PayloadOf<CommandHook['event']>,
  signal: AbortSignal,
): Promise<unknown> {
  const stdin = `${JSON.stringify({ event, ...given })}\n`
  const { code, output, errors } = await runHookCommand(groups, { command, env, stdin }, signal)
  if (code === denyCode && event === 'PreToolUse')
    return { decision: 'deny', ...(errors !== '' && { reason: errors }) }
  if (code !== 0) throw new Error(`It ended with ${code ?? 'a signal'}${errors && `: ${errors}`}`)
  if (output.trim() === '') return undefined
  try {
    return JSON.parse(output)
  } catch (error) {
    throw new Error(`Its answer is not JSON: ${output.slice(0, 100)}`, { cause: error })
  }
}
