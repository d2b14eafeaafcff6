/** Runs the programs it is given and tells its parent of each how it ended. */
import { inspect } from 'node:util'
import { dirname } from 'node:path'

for (const file of process.argv.slice(2)) {
  process.chdir(dirname(file))
  const error = await import(file).then(
    () => undefined,
    (thrown: unknown) => inspect(thrown),
  )
  process.send!({ file, error })
}
process.disconnect()
// a program that leaves something open has been told already
process.exit()
