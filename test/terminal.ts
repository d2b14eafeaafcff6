import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { provideProgram } from './runner/programs.ts'
import { need } from './runner/provision.ts'

export interface Terminal extends AsyncDisposable {
  /** Everything that was shown so far, without styles. */
  screen(): string
  /** The same with all that the terminal acts on. */
  raw(): string
  /** Presses keys. */
  type(keys: string): void
  /** Waits until something is shown, after what was waited for before. */
  shows(text: string | RegExp): Promise<void>
  /** Waits for the end, and answers the exit code. */
  ended(): Promise<number>
}

export const keys = {
  enter: '\r',
  up: '\u001b[A',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  paste: (text: string) => `\u001b[200~${text}\u001b[201~`,
}

/** The command line at a terminal of its own, with a person at its keys. */
export async function openTerminal(
  home: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Terminal> {
  const [script, main] = await Promise.all([provideProgram('script'), need('program')])
  const line = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn(script, ['-qefc', line, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm', PARLEY_DATA_DIR: `${home}/data`, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') as Promise<[number]>
  let raw = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (raw += text))
  const screen = () => stripVTControlCharacters(raw)
  return {
    screen,
    raw: () => raw,
    type: (text) => void child.stdin.write(text),
    async shows(text) {
      const find = () => {
        const rest = screen().slice(seen)
        const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text)
        const length = typeof text === 'string' ? text.length : (text.exec(rest)?.[0].length ?? 0)
        return at < 0 ? -1 : at + length
      }
      await expect
        .poll(find, { message: `${String(text)} after ${screen().slice(seen)}` })
        .toBeGreaterThan(-1)
      seen += find()
    },
    async ended() {
      const [code] = await exited
      return code
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      child.stdin.destroy()
      await exited
    },
  }
}
