import { globSync, rmSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'
import { embed } from '../../scripts/build/embed.js'
import { isFresh } from '../../scripts/setup/fresh.js'
import { withSetupLock } from '../../scripts/setup/lock.js'
import { root } from '../../scripts/setup/root.js'

const built = 'test/dist'
const sources = [
  'src',
  'workflows',
  'scripts/build',
  'test/faults',
  'test/command-node.ts',
  'package-lock.json',
]

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
  const programs = globSync('test/{.,faults}/*-node.ts', { cwd: root })
  rmSync(join(root, built), { recursive: true, force: true })
  await build({
    input: Object.fromEntries(programs.map((path) => [basename(path, '.ts'), path])),
    cwd: root,
    platform: 'node',
    external: (id) => id.startsWith('node:') || id === 'pg-native',
    plugins: [embed().plugin],
    logLevel: 'warn',
    output: { dir: join(root, built), format: 'esm', chunkFileNames: '[name]-[hash].js' },
  })
  // dated to the start, so that an edit made meanwhile counts as newer
  utimesSync(join(root, built, 'chat-node.js'), startedAt, startedAt)
}
