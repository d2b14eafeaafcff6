import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { need } from './runner/provision.ts'

export interface CommandLine {
  args: string[]
  cwd: string
  env: Record<string, string>
  input: string
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

type Options = Partial<Pick<CommandLine, 'env' | 'input'>>

/** Runs the command line as a person would: a process, its two streams, its exit code. */
export function processRunner(home: string) {
  return async (args: string[], options?: Options) => {
    const main = await need('program')
    const { cwd, env, input } = toLine(home, args, options)
    return new Promise<Outcome>((resolve) => {
      const child = execFile(process.execPath, [main, ...args], { cwd, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
      )
      child.stdin!.end(input)
    })
  }
}

/** Runs the command line in a process that ran others before: see `command-node.ts`. */
export function runner(home: string) {
  return async (args: string[], options?: Options): Promise<Outcome> => {
    const host = idle.pop() ?? fork(await need('nodes'), ['command-node.ts'])
    const answered = new AbortController()
    const { signal } = answered
    host.ref()
    host.send(toLine(home, args, options))
    const outcome = await Promise.race([
      once(host, 'message', { signal }).then(([message]) => message as Outcome),
      once(host, 'exit', { signal }).then(([code, killedBy]) => {
        throw new Error(`The process of command lines ended (${code ?? killedBy}): parley ${args.join(' ')}`)
      }),
    ]).finally(() => answered.abort())
    host.unref()
    idle.push(host)
    return outcome
  }
}

/** Hosts that wait for their next command line; they end with this process. */
const idle: ChildProcess[] = []

const toLine = (home: string, args: string[], { env = {}, input = '' }: Options = {}): CommandLine => ({
  args,
  cwd: home,
  env: { PATH: process.env.PATH!, HOME: home, PARLEY_DATA_DIR: join(home, 'data'), ...env },
  input,
})
