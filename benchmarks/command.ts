import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median, type Bench } from './bench.ts'
import { createSession, serveParley } from './chat/parley.ts'
import { withProcesses } from './chat/process.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '..', 'dist', 'cli', 'parley.js')
const rounds = 7
const maxCommand = 150
const maxAnswer = 700

/** What a command line takes more than a Node that does nothing; and the first answer of a server that just starts. */
export const command: Bench = {
  name: 'command',
  run: () =>
    withProcesses(async (start, folder) => {
      const env = { PATH: process.env.PATH, HOME: folder, PARLEY_DATA_DIR: join(folder, 'data') }
      const time = async (...args: string[]) => {
        const began = performance.now()
        await run(process.execPath, args, { cwd: folder, env })
        return performance.now() - began
      }
      const answer = async () => {
        const began = performance.now()
        const { program: server, url } = await serveParley(start, { folder, name: 'data' })
        const { status } = await fetch(`${url}/api/sessions/${await createSession(url)}/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          // one word: the demo model pauses between words, as a model does, and those pauses are not ours
          body: JSON.stringify({ content: 'long 1' }),
        })
        if (status !== 200) throw new Error(`The first turn was answered with ${status}.`)
        await server.end()
        return performance.now() - began
      }
      const sides = {
        node: () => time('-e', '0'),
        version: () => time(program, '--version'),
        sessions: () => time(program, 'sessions', 'list'),
        answer,
      }
      const times = { node: [], version: [], sessions: [], answer: [] } as Record<
        keyof typeof sides,
        number[]
      >
      for (let round = -1; round < rounds; round++)
        for (const [name, side] of Object.entries(sides) as [keyof typeof sides, () => Promise<number>][]) {
          const taken = await side()
          // the first round fills the compile cache
          if (round >= 0) times[name].push(taken)
        }
      const figure = (what: string, value: number, max?: number) => ({
        what,
        value,
        unit: 'ms',
        ...(max !== undefined && { goal: { max } }),
      })
      const empty = median(times.node)
      return [
        figure('Node that does nothing', empty),
        figure('parley --version, over that', median(times.version) - empty, maxCommand),
        figure('parley sessions list, over that', median(times.sessions) - empty, maxCommand),
        figure('from the start of a server to its first whole answer', median(times.answer), maxAnswer),
      ]
    }),
}
