import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.js'

const joined = '\0extensions'
const manifest = /[\\/]src[\\/]extensions[\\/][\w-]+[\\/]manifest\.ts$/

/**
 * Each manifest loads its own extension. A Parley has all of them: in one chunk they are loaded in half the time that it
 * takes to find them and what they share in a hundred.
 */
export function joinExtensions() {
  return {
    name: 'join-extensions',
    resolveId: (source, importer) =>
      source === './extension.ts' && manifest.test(importer ?? '') ? joined : null,
    load: (id) =>
      id === joined
        ? globSync('src/extensions/*/extension.ts', { cwd: root })
            .sort()
            .map((file) => `export * from ${JSON.stringify(join(root, file))}\n`)
            .join('')
        : null,
  }
}
