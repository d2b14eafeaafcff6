import { globSync, rmSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'
import { isFresh } from '../../scripts/setup/fresh.js'
import { withSetupLock } from '../../scripts/setup/lock.js'
import { root } from '../../scripts/setup/root.js'

const built = 'test/dist'
const sources = ['src', 'test/faults', 'test/command-node.ts', 'package-lock.json']
// threads of their own, which are found by their names beside the file that starts them
const workers = ['src/extensions/web/page-worker.ts', 'src/extensions/files/line-search-worker.ts']

/** Bundles the programs of tests: what is killed dozens of times has to start as often. */
export async function ensureNodes() {
  if (isBuilt()) return
  await withSetupLock(async () => {
    if (!isBuilt()) await bundle()
  })
}

const isBuilt = () => isFresh(join(built, 'chat-node.js'), sources)

async function bundle() {
  const startedAt = new Date()
  const programs = [...globSync('test/{.,faults}/*-node.ts', { cwd: root }), ...workers]
  rmSync(join(root, built), { recursive: true, force: true })
  await build({
    input: Object.fromEntries(programs.map((path) => [basename(path, '.ts'), path])),
    cwd: root,
    platform: 'node',
    external: (id) => id.startsWith('node:') || id === 'pg-native',
    logLevel: 'warn',
    output: { dir: join(root, built), format: 'esm', chunkFileNames: '[name]-[hash].js' },
  })
  // dated to the start, so that an edit made meanwhile counts as newer
  utimesSync(join(root, built, 'chat-node.js'), startedAt, startedAt)
}
