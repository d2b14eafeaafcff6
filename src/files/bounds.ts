import { isAbsolute, relative, resolve, sep } from 'node:path'
import { RefusalError } from './refusal.ts'

/** Whether `path` is `folder` or lies in it; both absolute. Looks at the text only. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Of the folders that nobody may look into, those that count below a root. A root within one was opened on purpose. */
export const forbiddenBelow = (root: string, forbidden: readonly string[] = []): readonly string[] =>
  forbidden.filter((folder) => isInside(root, folder))

export const isForbidden = (forbidden: readonly string[], path: string): boolean =>
  forbidden.some((folder) => isInside(folder, path))

/** The absolute path, if it is in bounds. Told by its text alone, so that nobody learns what exists elsewhere. */
export function requireInside(root: string, path: string, forbidden: readonly string[] = []): string {
  if (path.includes('\0')) throw new RefusalError('absent')
  const target = resolve(root, path)
  if (!isInside(root, target) || isForbidden(forbiddenBelow(root, forbidden), target))
    throw new RefusalError('outside')
  return target
}
