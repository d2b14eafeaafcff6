import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from '../bench.ts'

/** Gives a folder and the processes that `work` starts; both are gone afterwards. */
export async function withProcesses<T>(
  work: (start: (args: string[], options?: SpawnOptions) => Program, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const programs: Program[] = []
  try {
    return await work((args, options) => {
      const program = startProgram(args, options)
      programs.push(program)
      return program
    }, folder)
  } finally {
    await Promise.all(programs.map((program) => program.end()))
    rmSync(folder, { recursive: true })
  }
}

export interface Program {
  child: ChildProcess
  /** The next line of its output. */
  line(): Promise<string>
  end(): Promise<void>
}

function startProgram(args: string[], options: SpawnOptions = {}): Program {
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  return {
    child,
    async line() {
      const { done, value } = await lines.next()
      if (done) throw new Error(`node ${args.join(' ')} ended`)
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

export type Start = Parameters<Parameters<typeof withProcesses>[0]>[0]

/** Answers the address of the provider. */
export const startProvider = (start: Start): Promise<string> => start([programFile('provider.ts')]).line()

/** One of the servers that are compared. */
export interface Server {
  /** Where the next turn goes: Parley has a path for each session. */
  nextUrl(): string
  /** Milliseconds that it used since it started. */
  cpu(): Promise<number>
}

export async function startServer(start: Start, args: string[]): Promise<Server> {
  const program = start([programFile('servers.ts'), ...args])
  const [url, list] = (await program.line()).split('#')
  const sessions = list?.split(',')
  let count = 0
  return {
    nextUrl: () =>
      sessions ? `${url}/api/sessions/${sessions[count++ % sessions.length]}/chat` : `${url}/chat`,
    async cpu() {
      const answer = program.line()
      program.child.stdin!.write('cpu\n')
      return Number(await answer)
    },
  }
}

export const programFile = (name: string) => join(import.meta.dirname, name)

export interface Sample {
  cpuMs: number
  firstMs: number
}

/** CPU of the server for each turn, and the median time until the first delta. */
export async function measureTurns(
  server: Server,
  { turns, atOnce }: { turns: number; atOnce: number },
): Promise<Sample> {
  const before = await server.cpu()
  const firsts: number[] = []
  let left = turns
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) firsts.push((await turn(server.nextUrl())).firstMs)
    }),
  )
  return { cpuMs: ((await server.cpu()) - before) / turns, firstMs: median(firsts) }
}

interface Turn {
  /** Until the server said that it has taken the input. */
  takenMs: number
  /** Until the first delta. */
  firstMs: number
  totalMs: number
  /** All that was received. */
  text: string
}

export async function turn(url: string): Promise<Turn> {
  const start = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Tell me something.' }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const takenMs = performance.now() - start
  let firstMs = 0
  const received: Uint8Array[] = []
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (firstMs === 0 && Buffer.from(bytes).includes('word')) firstMs = performance.now() - start
    received.push(bytes)
  }
  return { takenMs, firstMs, totalMs: performance.now() - start, text: Buffer.concat(received).toString() }
}
