import picomatch from 'picomatch'

// Patterns come from a repository and become regular expressions that backtrack. Each part between slashes is
// matched alone and within these limits, so that the worst pattern takes milliseconds for the worst path; a
// dozen stars in one expression would stop the process.
const maxLength = 256
const maxStarsPerPart = 2
const maxBracesPerPart = 1
const maxPathLength = 4_096
const maxPartLength = 255

type Part = '**' | ((part: string) => boolean)

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

/** Whether the pattern can be matched in bounded time; others never match. */
export function isSimpleGlob(glob: string): boolean {
  return (
    glob.length <= maxLength &&
    !/\{[^}]*\//.test(glob) &&
    glob
      .split('/')
      .every(
        (part) =>
          part.split(/\*+/).length - 1 <= maxStarsPerPart && part.split('{').length - 1 <= maxBracesPerPart,
      )
  )
}

/**
 * Says whether a path, relative and with `/`, is meant by the patterns: by one of them, and by none that starts
 * with `!`. A pattern without `/` counts in every folder, one that ends in `/` for all below; parentheses stand
 * for themselves.
 */
export function createMatcher(globs: readonly string[]): (path: string) => boolean {
  const simple = globs.filter(isSimpleGlob)
  const wanted = simple.filter((glob) => !glob.startsWith('!')).map(toParts)
  const unwanted = simple.filter((glob) => glob.startsWith('!')).map((glob) => toParts(glob.slice(1)))
  return (path) => {
    const names = path.split('/')
    if (path.length > maxPathLength || names.some((name) => name.length > maxPartLength)) return false
    return wanted.some((parts) => matches(parts, names)) && !unwanted.some((parts) => matches(parts, names))
  }
}

/** Says whether a whole path is meant by one pattern, both from the same folder on; one that is too complicated never is. */
export function createPathMatcher(glob: string): (path: string) => boolean {
  if (!isSimpleGlob(glob)) return () => false
  const parts = glob.split('/').map((part) => (part === '**' ? part : toTest(part)))
  return (path) => path.length <= maxPathLength && matches(parts, path.split('/'))
}

function toParts(glob: string): Part[] {
  const parts = glob
    .replace(/^\.?\//, '')
    .replace(/\/$/, '/**')
    .split('/')
  if (parts.length === 1) parts.unshift('**')
  return parts.map((part) => (part === '**' ? part : toTest(part)))
}

function toTest(part: string): (name: string) => boolean {
  // no name is empty, and the matcher does not take it
  if (part === '') return () => false
  const literal = part.replaceAll(/[()|+@\\]/g, '\\$&')
  return picomatch(literal, { dot: true, noextglob: true, nonegate: true, posix: true })
}

/** Walks along the pattern and keeps all the places in the path that the parts so far can reach. */
function matches(parts: Part[], names: string[]): boolean {
  let reached = new Set([0])
  for (const [index, part] of parts.entries()) {
    const next = new Set<number>()
    // `a/**` means what is in `a`, not `a` itself
    const least = index === parts.length - 1 ? 1 : 0
    if (part === '**') for (let at = Math.min(...reached) + least; at <= names.length; at++) next.add(at)
    else for (const at of reached) if (at < names.length && part(names[at]!)) next.add(at + 1)
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(names.length)
}
