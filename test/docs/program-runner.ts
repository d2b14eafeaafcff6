/** Runs the programs it is given and tells its parent of each how it ended, and what it printed. */
import { format, inspect } from 'node:util'
import { dirname } from 'node:path'

for (const file of process.argv.slice(2)) {
  process.chdir(dirname(file))
  const printed: string[] = []
  Object.assign(console, { log: (...values: unknown[]) => printed.push(format(...values)) })
  const error = await import(file).then(
    () => undefined,
    (thrown: unknown) => inspect(thrown),
  )
  process.send!({ file, error, printed })
}
process.disconnect()
// a program that leaves something open has been told already
process.exit()
