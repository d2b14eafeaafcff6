import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.js'

/** Whether what was built is there and nothing that it is made of has changed since. */
export function isFresh(built, sources) {
  const builtAt = statSync(join(root, built), { throwIfNoEntry: false })?.mtimeMs
  return builtAt !== undefined && sources.every((path) => newest(join(root, path)) <= builtAt)
}

/** The latest change at or below a path. Folders count, because a deletion shows only there. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs)
}
