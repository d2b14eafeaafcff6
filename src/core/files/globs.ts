import { compileGlob } from '../shared/glob.ts'

/** Splits `*.ts, src/*.{js,jsx}` at the commas that are not inside braces. */
export function splitGlobs(text: string): string[] {
  const globs = ['']
  let depth = 0
  for (const character of text) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth <= 0) globs.push('')
    else globs[globs.length - 1] += character
  }
  return globs
}

/**
 * Says whether a path, relative and with `/`, is meant by the patterns: by one of them, and by none that starts
 * with `!`. A pattern without `/` counts in every folder, one that ends in `/` for all below; parentheses stand
 * for themselves.
 */
export function createMatcher(globs: readonly string[]): (path: string) => boolean {
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(toTest)
  const unwanted = globs.filter((glob) => glob.startsWith('!')).map((glob) => toTest(glob.slice(1)))
  return (path) => wanted.some((test) => test(path)) && !unwanted.some((test) => test(path))
}

/** Says whether a whole path is meant by one pattern, both from the same folder on; one with a fault means none. */
export const createPathMatcher = compileGlob

function toTest(glob: string): (path: string) => boolean {
  const path = glob.replace(/^\.?\//, '').replace(/\/$/, '/**')
  return compileGlob(path.includes('/') ? path : `**/${path}`)
}
