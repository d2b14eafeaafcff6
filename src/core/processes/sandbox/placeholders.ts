import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/**
 * Git takes settings and hooks from the folder that a file `commondir` names, if there is one. What is not there cannot be
 * kept from being made, so it is there while a command runs, and names the very folder that it is in.
 */
export const placeholder = '.\n'

export interface Placeholders {
  /** Returns a function that releases them; the last release removes them. */
  hold(gitFolders: readonly string[]): () => void
}

export function createPlaceholders(): Placeholders {
  const holders = new Map<string, number>()

  function release(file: string): void {
    const left = (holders.get(file) ?? 1) - 1
    if (left > 0) holders.set(file, left)
    else {
      holders.delete(file)
      if (isOurs(file)) rmSync(file, { force: true })
    }
  }

  return {
    hold(gitFolders) {
      const held = gitFolders
        // what lies elsewhere may be a part of another repository, which would see a new file
        .filter((folder) => folder.split(sep).includes('.git'))
        .map((folder) => join(folder, 'commondir'))
        .filter((file) => isOurs(file) || make(file))
      for (const file of held) holders.set(file, (holders.get(file) ?? 0) + 1)
      return () => held.splice(0).forEach(release)
    },
  }
}

/** Also one that a Parley left behind which was killed. */
function isOurs(file: string): boolean {
  try {
    return lstatSync(file).isFile() && readFileSync(file, 'utf8') === placeholder
  } catch {
    return false
  }
}

/** False where it is something else, and where nobody may write. */
function make(file: string): boolean {
  try {
    writeFileSync(file, placeholder, { flag: 'wx' })
    return true
  } catch {
    return false
  }
}
