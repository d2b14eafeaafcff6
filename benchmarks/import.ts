import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { median, type Bench, type Figure } from './bench.ts'
import { withProcesses } from './chat/process.ts'

const run = promisify(execFile)
const rounds = 15

const built = (file: string) => pathToFileURL(join(import.meta.dirname, '..', 'dist', file)).href

const asking = `import { createAgent } from '${built('agent.js')}'
await using agent = createAgent()
await agent.ask('json 1')`

const opening = `import { createParley } from '${built('index.js')}'
await using parley = await createParley({ dataDir: 'data', takesUpRuns: false })`

/** How long a program waits for what it imports, beside a Node that does nothing: whole processes, nothing cached. */
export const imports: Bench = {
  name: 'import',
  run: () =>
    withProcesses(async (_start, folder) => {
      const env = { PATH: process.env.PATH, HOME: folder }
      const programs = {
        empty: '',
        parley: `import '${built('index.js')}'`,
        agent: `import '${built('agent.js')}'`,
        asking,
        opening,
      }
      const times = new Map<string, number[]>(Object.keys(programs).map((name) => [name, []]))
      for (let round = -1; round < rounds; round++)
        for (const [name, source] of Object.entries(programs)) {
          const began = performance.now()
          await run(process.execPath, ['--input-type=module', '-e', source], { cwd: folder, env })
          // the first round brings the files into memory, and makes the database
          if (round >= 0) times.get(name)!.push(performance.now() - began)
        }
      const taken = (name: keyof typeof programs) => median(times.get(name)!)
      const figure = (what: string, value: number, unit: string, max?: number): Figure => ({
        what,
        value,
        unit,
        ...(max !== undefined && { goal: { max } }),
      })
      return [
        figure('Node that does nothing', taken('empty'), 'ms'),
        figure("import 'parley', Node included", taken('parley'), 'ms', 400),
        figure("import 'parley', to a Node that does nothing", taken('parley') / taken('empty'), '×'),
        figure("import 'parley/agent', Node included", taken('agent'), 'ms', 200),
        figure("import 'parley/agent', to a Node that does nothing", taken('agent') / taken('empty'), '×'),
        figure('the same with one request of an agent to the demo', taken('asking'), 'ms'),
        figure('createParley on a folder that is there, and close', taken('opening'), 'ms'),
      ]
    }),
}
