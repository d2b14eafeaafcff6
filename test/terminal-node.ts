/** Runs command lines, one after the other, at the terminal it is started at; each begins with a line of its name. */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { runCommandLine } from '../src/cli/program.ts'
import type { TerminalLine } from './cli-terminal.test.ts'

for (const { name, args, input = '' } of JSON.parse(
  readFileSync(process.argv[2]!, 'utf8'),
) as TerminalLine[]) {
  process.stdout.write(`\n@@ ${name}\n`)
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    configurable: true,
  })
  process.exitCode = undefined
  await runCommandLine([process.execPath, 'parley', ...args])
  process.removeAllListeners('SIGINT')
}
process.exit(0)
