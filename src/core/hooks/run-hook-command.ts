import { once } from 'node:events'
import { homedir } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessGroups } from '../processes/process-groups.ts'

export interface CommandAnswer {
  code: number | null
  output: string
  /** The end of what it complained about. */
  errors: string
}

export const maxAnswerBytes = 64 * 1_024
const keptErrors = 2_000
// what was written is in the pipe by now; only one who got away could still hold its other end
const drainMs = 1_000

/**
 * Runs the program of a hook to its end or until the signal. Afterwards nothing of it runs, unless it came to its own end
 * and left something that made itself independent.
 */
export async function runHookCommand(
  groups: ProcessGroups,
  { command, env, stdin }: { command: readonly string[]; env: Record<string, string>; stdin: string },
  signal: AbortSignal,
): Promise<CommandAnswer> {
  signal.throwIfAborted()
  // a project's folder could hold programs of strangers
  const group = await groups.start({ command, cwd: homedir(), env })
  const tooMuch = new AbortController()
  const output = readText(group.output, (text) => {
    if (Buffer.byteLength(text) > maxAnswerBytes) tooMuch.abort()
    return text.slice(0, maxAnswerBytes + 1)
  })
  const errors = readText(group.errors!, (text) => text.slice(-keptErrors))
  group.input!.end(stdin)
  const stopped = AbortSignal.any([signal, tooMuch.signal])
  let code: number | null | undefined
  try {
    code = await Promise.race([group.exited.then((exit) => exit.code), untilAborted(stopped)])
  } finally {
    await group.end({ strays: code === undefined })
    await Promise.race([Promise.all([output, errors]), sleep(drainMs, undefined, { ref: false })])
    group.output.destroy()
    group.errors!.destroy()
  }
  if (tooMuch.signal.aborted) throw new Error(`It answered with more than ${maxAnswerBytes} bytes.`)
  signal.throwIfAborted()
  return { code: code ?? null, output: await output, errors: (await errors).trim() }
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort')
  return undefined
}

/** Never rejects: what was read before a failure is worth reporting. */
async function readText(stream: Readable, keep: (text: string) => string): Promise<string> {
  let text = ''
  try {
    for await (const chunk of stream as AsyncIterable<string>) text = keep(text + chunk)
  } catch {
    // cut off, because somebody else keeps it open
  }
  return text
}
