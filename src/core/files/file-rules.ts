import { isAbsolute, relative, resolve, sep } from 'node:path'
import { RefusalError } from './file-refusal.ts'

/** What is closed within a folder that is otherwise open. */
export interface Closed {
  /** Real paths of folders that count as outside. */
  forbidden?: readonly string[]
  /** The rules about files; looked up when the first one is touched. Default: nothing is closed by rules. */
  readFileRules?: () => Promise<FileRules | undefined>
  /** Paths of this very call, which a person or the rules have decided about already: `ask` does not count for them. */
  decided?: readonly string[]
}

export type FileUse = 'read' | 'write' | 'move' | 'delete'

/** The decision of rules about one use of a file, by its absolute path; undefined when they leave it to the call. */
export interface FileRules {
  (path: string, use: FileUse): 'deny' | 'ask' | undefined
  /** False where no rule denies single files, so that none has to be searched. */
  mayDeny?: boolean
}

/** Whether `path` is `folder` or lies in it; both absolute. Looks at the text only. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Of the folders that nobody may read, those that count below a root. A root within one was opened on purpose. */
export const forbiddenBelow = (root: string, forbidden: readonly string[] = []): readonly string[] =>
  forbidden.filter((folder) => isInside(root, folder))

export const isForbidden = (forbidden: readonly string[], path: string): boolean =>
  forbidden.some((folder) => isInside(folder, path))

/** The absolute path, if it is in bounds. Decided by its text alone, so that nobody learns what exists elsewhere. */
export function requireInside(root: string, path: string, { forbidden }: Closed = {}): string {
  if (path.includes('\0')) throw new RefusalError('absent')
  const target = resolve(root, path)
  if (!isInside(root, target) || isForbidden(forbiddenBelow(root, forbidden), target))
    throw new RefusalError('outside')
  return target
}

/** A rule without a path closes a tool and no file: it fits any path, also where nobody has a folder. */
export const isAboutTool = (rules: FileRules, use: FileUse): boolean => rules('/', use) === 'deny'

/** Refuses what rules close, by whichever of its names: that of a link as well as that of the file behind it. */
export async function requireUse(
  { readFileRules, decided = [] }: Closed,
  paths: readonly string[],
  use: FileUse,
): Promise<void> {
  const rules = await readFileRules?.()
  if (!rules) return
  // asked about a folder by a rule about that folder, a person has decided about what is in it too
  const isDecided = (path: string) =>
    decided.some((one) => one === path || (isInside(one, path) && rules(one, use) === 'ask'))
  for (const path of paths) {
    const verdict = rules(path, use)
    if (verdict === 'deny' || (verdict === 'ask' && !isDecided(path))) throw new RefusalError('denied')
  }
}
