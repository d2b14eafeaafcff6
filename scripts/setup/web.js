import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { capture, environment, packageCommand } from './command.js'
import { progress, SetupFailure } from './failure.js'
import { isFresh } from './fresh.js'
import { withSetupLock } from './lock.js'
import { root } from './root.js'

const sources = [
  'web/src',
  'web/index.html',
  'web/vite.config.ts',
  'web/package.json',
  'src/client',
  'src/core',
  'src/extensions',
  'package-lock.json',
]

/** Builds the workbench into `web/dist` when something it is made of is newer. */
export async function ensureWeb(node) {
  if (isBuilt()) return
  await withSetupLock(async () => {
    if (!isBuilt()) await build(node)
  })
}

const isBuilt = () => isFresh('web/dist/index.html', sources)

/** Builds beside `web/dist` and swaps: a running server or an interrupted build never shows half a page. */
async function build(node) {
  progress('Building the workbench …')
  const startedAt = new Date()
  const workshop = join(root, 'web', '.build')
  const draft = join(workshop, 'dist')
  try {
    mkdirSync(draft, { recursive: true })
    const args = [packageCommand('vite'), 'build', '--logLevel', 'warn', '--outDir', draft, '--emptyOutDir']
    // for people, whatever it is that asked for it: in a test run React would be the slow one for developers
    const env = { ...environment(node), NODE_ENV: 'production' }
    const { code, output } = await capture(node, args, { cwd: join(root, 'web'), env })
    if (code !== 0) throw new SetupFailure(`Cannot build the workbench in web/:\n${output.trim()}`)
    // dated to the start, so that an edit made during the build counts as newer
    utimesSync(join(draft, 'index.html'), startedAt, startedAt)
    rmSync(join(root, 'web', 'dist'), { recursive: true, force: true })
    renameSync(draft, join(root, 'web', 'dist'))
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}
