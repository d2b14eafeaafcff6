import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.js'

export const joined = '\0extensions'
const nothing = '\0nothing'
const manifest = /[\\/]src[\\/]extensions[\\/][\w-]+[\\/]manifest\.ts$/
const lazy = "(await import('./extension.ts'))"

/**
 * Each manifest loads its own extension, and a Parley has all of them. The program loads them in one chunk: to find each, and
 * what some of them share, in a hundred takes twice the time.
 */
export function joinExtensions() {
  return {
    name: 'join-extensions',
    resolveId: (source, importer) =>
      source === './extension.ts' && manifest.test(importer ?? '') ? joined : null,
    load(id) {
      if (id !== joined) return null
      const files = globSync('src/extensions/*/extension.ts', { cwd: root }).sort()
      return files.map((file) => `export * from ${JSON.stringify(join(root, file))}\n`).join('')
    },
  }
}

/** The library loads all of it with the first `createParley` anyway, and has no commands. */
export function includeExtensions() {
  return {
    name: 'include-extensions',
    resolveId: (source, importer) =>
      source.startsWith('./cli/') && manifest.test(importer ?? '') ? nothing : null,
    load: (id) => (id === nothing ? '' : null),
    transform(code, id) {
      if (!manifest.test(id)) return null
      if (!code.includes(lazy)) throw new Error(`${id} loads its extension in another way than ${lazy}`)
      return `import * as extension from './extension.ts'\n${code.replace(lazy, 'extension')}`
    },
  }
}
