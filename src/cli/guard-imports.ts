import { readFileSync, realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { hash } from '../core/settings/named-code.ts'

/**
 * Lets these files load one another as they were when a person trusted them, Node's own modules and Parley, and nothing else.
 * It holds for as long as the process runs: an extension may load parts of itself at any time.
 */
export function guardImports(files: ReadonlyMap<string, string>): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (parentURL === undefined || !files.has(pathOf(parentURL) ?? '')) return next(specifier, context)
      // the Parley that runs, whatever lies beside the extension under that name
      if (specifier === 'parley' || specifier.startsWith('parley/'))
        return next(specifier, { ...context, parentURL: import.meta.url })
      const resolved = next(specifier, context)
      const path = pathOf(resolved.url)
      if (path !== undefined && !files.has(path))
        throw new Error(
          `${pathOf(parentURL)} loads "${specifier}", which is not in its folder, nor in a package that its package.json names`,
        )
      return resolved
    },
    load(url, context, next) {
      const path = pathOf(url)
      const digest = path === undefined ? undefined : files.get(path)
      if (path === undefined || digest === undefined) return next(url, context)
      const source = readFileSync(path)
      if (hash(source) !== digest)
        throw new Error(`${path} has changed since you trusted it. Start Parley again to be asked about it`)
      const loaded = next(url, context)
      // what was checked, and not what may be there by now
      return loaded.source === undefined || loaded.source === null ? loaded : { ...loaded, source }
    },
  })
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = fileURLToPath(url)
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
