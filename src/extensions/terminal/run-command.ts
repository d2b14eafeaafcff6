import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeptOutput } from '../../core/processes/command-output.ts'
import type { OutputLog } from './output-log.ts'
import type { Exit, GroupOptions, ProcessGroup, ProcessGroups } from '../../core/processes/process-groups.ts'

export interface CommandOptions extends GroupOptions {
  command: string
  timeoutMs: number
  maxOutput: number
  /** Called when there is more output than the model gets to see. */
  openLog(): Promise<OutputLog | undefined>
  signal: AbortSignal
}

export interface CommandResult extends Partial<Exit> {
  isOutOfTime: boolean
  output: string
  log?: string
  /** Files that other programs run, which it made or changed. */
  protectedChanges: string[]
}

// what was written is in the pipe by now; only one who got away could still hold its other end
const drainMs = 1_000

/**
 * Runs a command to its end, to its time limit or until the signal. Whatever it was: afterwards nothing of it runs,
 * unless the command came to its own end and left something that made itself independent.
 */
export async function runCommand(groups: ProcessGroups, options: CommandOptions): Promise<CommandResult> {
  const { signal, timeoutMs } = options
  signal.throwIfAborted()
  const group = await groups.start(options)
  const reading = readOutput(group, options)
  const timeout = AbortSignal.timeout(timeoutMs)
  let exit: Exit | undefined
  try {
    exit = await Promise.race([group.exited, untilAborted(AbortSignal.any([signal, timeout]))])
  } finally {
    await group.end({ strays: exit === undefined })
    await Promise.race([reading, sleep(drainMs, undefined, { ref: false })])
    group.output.destroy()
  }
  signal.throwIfAborted()
  const protectedChanges = await group.protectedChanges()
  return { ...exit, isOutOfTime: exit === undefined, ...(await reading), protectedChanges }
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort')
  return undefined
}

/** Never rejects: the output before a failure is still worth returning. */
async function readOutput(
  { output }: ProcessGroup,
  { maxOutput, openLog }: CommandOptions,
): Promise<{ output: string; log?: string }> {
  const kept = createKeptOutput(maxOutput)
  let whole: string | undefined = ''
  let log: OutputLog | undefined
  try {
    for await (const text of output as AsyncIterable<string>) {
      kept.add(text)
      if (whole === undefined) await log?.write(text)
      else if (kept.isCut) {
        log = await openLog()
        await log?.write(whole + text)
        whole = undefined
      } else whole += text
    }
  } catch {
    // cut off, because somebody else keeps it open
  } finally {
    await log?.close()
  }
  return { output: kept.read(), log: log?.path }
}
