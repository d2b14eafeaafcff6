import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { need } from './runner/provision.ts'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line as a person would: a process, its two streams, its exit code. */
export function runner(home: string) {
  return async (
    args: string[],
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ) => {
    const main = await need('program')
    return new Promise<Outcome>((resolve) => {
      const options = {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home, PARLEY_DATA_DIR: join(home, 'data'), ...env },
      }
      const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
      )
      child.stdin!.end(input)
    })
  }
}
