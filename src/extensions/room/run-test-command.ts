import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { toPlain } from '../../core/processes/command-output.ts'
import type { Exit, GroupOptions, ProcessGroups } from '../../core/processes/process-groups.ts'

export interface TestCommand extends GroupOptions {
  /** A program and its arguments, which no shell reads. */
  command: readonly string[]
  timeoutMs: number
}

export interface TestResult extends Partial<Exit> {
  isOutOfTime: boolean
  /** The end of what it wrote, errors included. */
  output: string
  /** Files that other programs run, which it made or changed. */
  protectedChanges: string[]
}

export const maxTestOutput = 20_000
// what was written is in the pipe by now; only one who got away could still hold its other end
const drainMs = 1_000

/**
 * Runs a program to its end, to its time limit or until the signal, which rejects. Whatever it was: afterwards nothing
 * of it runs, unless it came to its own end and left something that made itself independent.
 */
export async function runTestCommand(
  groups: ProcessGroups,
  { timeoutMs, ...options }: TestCommand,
  signal: AbortSignal,
): Promise<TestResult> {
  signal.throwIfAborted()
  const group = await groups.start(options)
  const kept = createKeptEnd(maxTestOutput)
  const reading = Promise.all([group.output, group.errors!].map((stream) => readAll(stream, kept.add)))
  group.input!.end()
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  let exit: Exit | undefined
  try {
    exit = await Promise.race([group.exited, untilAborted(stopped)])
  } finally {
    await group.end({ strays: exit === undefined })
    await Promise.race([reading, sleep(drainMs, undefined, { ref: false })])
    group.output.destroy()
    group.errors!.destroy()
  }
  signal.throwIfAborted()
  const protectedChanges = await group.protectedChanges()
  return { ...exit, isOutOfTime: exit === undefined, output: kept.read(), protectedChanges }
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort')
  return undefined
}

/** Never rejects: the output before a failure is still worth returning. */
async function readAll(stream: Readable, add: (text: string) => void): Promise<void> {
  try {
    for await (const text of stream as AsyncIterable<string>) add(text)
  } catch {
    // cut off, because somebody else keeps it open
  }
}

/** The end is where test runners sum up. */
function createKeptEnd(maxCharacters: number) {
  let text = ''
  let leftOut = 0
  return {
    add(more: string) {
      text += more
      leftOut += Math.max(0, text.length - maxCharacters)
      text = text.slice(-maxCharacters)
    },
    read: () => (leftOut > 0 ? `… ${leftOut} characters left out …\n` : '') + toPlain(text),
  }
}
