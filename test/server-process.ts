import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { temporaryFolder } from './harness.ts'
import { need } from './runner/provision.ts'

export interface ServerProcess {
  url: string
  child: ChildProcess
  /** What it wrote to stderr so far. */
  log(): string
  /** `SIGKILL` when nothing else is said; resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface StartOptions {
  env: Record<string, string>
  /** Extra arguments of `parley serve`. */
  args?: string[]
  /** Where it is started; default the root of the disk. */
  cwd?: string
  /** A program that runs the server, such as strace with its flags. */
  wrapper?: string[]
}

/** The real server in a process of its own, on a free port. */
export async function startServer({
  env,
  args = [],
  cwd = '/',
  wrapper = [],
}: StartOptions): Promise<ServerProcess> {
  const main = await need('program')
  const [command, ...rest] = [...wrapper, process.execPath, main, 'serve', '--json', '--port', '0', ...args]
  const home = temporaryFolder()
  const child = spawn(command!, rest, {
    env: { PATH: process.env.PATH, HOME: home.path, PARLEY_LOG_LEVEL: 'warn', ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killWithTest = () => void child.kill('SIGKILL')
  process.once('exit', killWithTest)
  child.once('exit', () => {
    process.off('exit', killWithTest)
    home[Symbol.dispose]()
  })
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const url = await readUrl(child, exited, () => log)
  return {
    url,
    child,
    log: () => log,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      const [code, killedBy] = await exited
      return { code, signal: killedBy }
    },
  }
}

async function readUrl(child: ChildProcess, exited: Promise<unknown>, log: () => string): Promise<string> {
  let text = ''
  const lines = createInterface(child.stdout!)
  const announced = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      text += line
      const { url } = line === '}' ? (JSON.parse(text) as { url?: string }) : {}
      if (url !== undefined) resolve(url)
    })
  })
  const died = exited.then(() => {
    throw new Error(`The server ended before it was ready: ${text}${log()}`)
  })
  return Promise.race([announced, died])
}
