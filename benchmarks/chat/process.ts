import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { takeCores } from './cores.ts'

interface StartOptions extends SpawnOptions {
  /** A server that is measured: on a core of its own where `withProcesses` was told so. */
  isServer?: boolean
}

export type Start = (args: string[], options?: StartOptions) => Program

/**
 * Gives a folder and the processes that `work` starts; both are gone afterwards. With `apart`, servers have one core, and
 * this process, the provider and all else another.
 */
export async function withProcesses<T>(
  work: (start: Start, folder: string) => Promise<T>,
  { apart = false }: { apart?: boolean } = {},
): Promise<T> {
  const cores = apart ? takeCores() : undefined
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const programs: Program[] = []
  try {
    return await work((args, { isServer, ...options } = {}) => {
      const command = [process.execPath, ...args]
      if (cores && isServer) command.unshift('taskset', '--cpu-list', `${cores.server}`)
      const program = startProgram(command, options)
      programs.push(program)
      return program
    }, folder)
  } finally {
    await Promise.all(programs.map((program) => program.end()))
    rmSync(folder, { recursive: true })
    cores?.release()
  }
}

export interface Program {
  child: ChildProcess
  /** The next line of its output. */
  line(): Promise<string>
  end(): Promise<void>
}

function startProgram([file, ...args]: string[], options: SpawnOptions): Program {
  const child = spawn(file!, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  return {
    child,
    async line() {
      const { done, value } = await lines.next()
      if (done) throw new Error(`${file} ${args.join(' ')} ended`)
      return value
    },
    async end() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The longest time, in ms of CPU, that the event loop of a program with the probe was busy since the last time. */
export async function stallOf(program: Program): Promise<number> {
  program.child.kill('SIGUSR2')
  for (;;) {
    const [, ms] = /^stall (.+)/.exec(await program.line()) ?? []
    if (ms !== undefined) return Number(ms)
  }
}

/** Answers the address of the provider. */
export const startProvider = (start: Start): Promise<string> => start([programFile('provider.ts')]).line()

export const programFile = (name: string) => join(import.meta.dirname, name)
