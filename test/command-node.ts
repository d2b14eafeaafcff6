/**
 * Runs command lines, one after the other, in one process: to start one for each would be nearly all that most of them
 * cost. Each has its own folder, environment and input, and is answered with what it printed and its exit code.
 */
import { Readable } from 'node:stream'
import { runCommandLine } from '../src/cli/program.ts'
import type { CommandLine } from './command-line.ts'

process.on('message', async (line: CommandLine) => {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    const text = new TextDecoder()
    process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      printed[name] += typeof chunk === 'string' ? chunk : text.decode(chunk, { stream: true })
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }
  }
  process.chdir(line.cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, line.env)
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(line.input === '' ? [] : [Buffer.from(line.input)]),
    configurable: true,
  })
  process.exitCode = undefined
  const code = await runCommandLine([process.execPath, 'parley', ...line.args])
  process.removeAllListeners('SIGINT')
  process.send!({ code, ...printed })
})
// the tests are over
process.on('disconnect', () => process.exit())
