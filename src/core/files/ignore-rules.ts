import { createPathMatcher } from './globs.ts'

/**
 * The rules of a `.gitignore` or `.ignore`, as far as people write them: comments, `!`, a slash that binds a pattern to its folder,
 * a slash at the end for folders alone, `*`, `?`, `[…]` and `**`. A pattern with more stars than can be matched in
 * bounded time ignores nothing.
 */
export interface IgnoreRules {
  /** The folder that the file is in, from the root; empty is the root itself. */
  folder: string
  /** The last one that matches decides. */
  patterns: IgnorePattern[]
}

export interface IgnorePattern {
  isNegated: boolean
  isForFolders: boolean
  /** Of a pattern without a slash: matched against the name alone, in every folder below. */
  isForNames: boolean
  matches(path: string): boolean
}

// more than any file that was written by hand
const maxPatterns = 1_000

export function parseIgnoreRules(text: string, folder: string): IgnoreRules {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return { folder, patterns: lines.slice(0, maxPatterns).map(toPattern) }
}

/** Whether a path below the folders of all these rules is ignored; the rules of the nearest folder come last. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const { folder, patterns } of rules.toReversed()) {
    const fromFolder = folder === '' ? path : path.slice(folder.length + 1)
    const name = path.slice(path.lastIndexOf('/') + 1)
    const decisive = patterns.findLast(
      ({ isForFolders, isForNames, matches }) =>
        (isFolder || !isForFolders) && matches(isForNames ? name : fromFolder),
    )
    if (decisive) return !decisive.isNegated
  }
  return false
}

function toPattern(line: string): IgnorePattern {
  const text = line.trimEnd()
  const isNegated = text.startsWith('!')
  const glob = (isNegated ? text.slice(1) : text).replace(/^\\(?=[#!])/, '')
  const isForFolders = glob.endsWith('/')
  const bare = isForFolders ? glob.slice(0, -1) : glob
  return {
    isNegated,
    isForFolders,
    isForNames: !bare.includes('/'),
    matches: createPathMatcher(bare.replace(/^\//, '')),
  }
}
