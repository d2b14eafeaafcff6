import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { capture, environment } from './command.js'
import { progress, SetupFailure } from './failure.js'
import { isFresh } from './fresh.js'
import { withSetupLock } from './lock.js'
import { root } from './root.js'

/** What `parley` runs. */
export const program = join(root, 'dist', 'cli', 'parley.js')
const sources = ['src', 'workflows', 'scripts/build.js', 'scripts/build', 'package-lock.json']

/** Builds the program and the library into `dist` when something they are made of is newer. */
export async function ensureProgram(node) {
  if (isBuilt()) return
  await withSetupLock(async () => {
    if (!isBuilt()) await build(node)
  })
}

const isBuilt = () => isFresh('dist/cli/parley.js', sources)

async function build(node) {
  progress('Building Parley …')
  const startedAt = new Date()
  const { code, output } = await capture(node, [join(root, 'scripts', 'build.js')], {
    env: environment(node),
  })
  if (code !== 0) throw new SetupFailure(`Cannot build Parley:\n${output.trim()}`)
  // dated to the start, so that an edit made during the build counts as newer
  utimesSync(program, startedAt, startedAt)
}
