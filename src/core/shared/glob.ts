/**
 * Patterns that anybody may give: in rules of permissions, in files of a repository, as arguments of tools. They never
 * become regular expressions, which could take for ever: matching takes at most as many steps as the pattern has
 * characters times those of the text.
 *
 * `*` stands for anything within a part, `?` for one character, `[a-z]` and `[!a]` for one of some, `{a,b}` for one of
 * these texts, `**` as a whole part for any number of parts, and a backslash takes the meaning from what follows it.
 */
const maxLength = 1_000
// of all that braces stand for, together
const maxExpandedLength = 1_000
/** Of a text that is held against a pattern; a longer one fits none. */
export const maxTextLength = 4_096

type Token = { is: 'star' | 'any' } | { is: 'one'; character: string } | { is: 'class'; test: ClassTest }
type ClassTest = (character: string) => boolean
type Part = '**' | Token[]

/** Why a pattern is refused, as the end of a sentence; undefined when it can be matched. */
export function findGlobFault(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `is longer than ${maxLength} characters`
  if (/(?<!\\)[+@!]\([^)]*\|/.test(pattern) || /(?<!\\)[+@!*?]\([^)]*\)[*+]?$/.test(pattern))
    return 'has a group such as +(a|b), which is not known here; write {a,b}'
  return expand(pattern)
    ? undefined
    : `stands for more than ${maxExpandedLength} characters of other patterns`
}

/** Says whether a path, with `/`, is meant. A pattern with a fault means none; so does a path that cannot exist. */
export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = findGlobFault(pattern) ? [] : (expand(pattern) ?? [])
  const compiled = alternatives.map((alternative) => splitParts(alternative).map(toPart))
  return (path) => {
    if (path.length > maxTextLength) return false
    const names = path.split('/')
    return compiled.some((parts) => matchesParts(parts, names))
  }
}

/** The same for a text without parts, such as the name of a tool or of a host. */
export function compileWord(pattern: string): (text: string) => boolean {
  const alternatives = findGlobFault(pattern) ? [] : (expand(pattern) ?? [])
  const compiled = alternatives.map(toTokens)
  return (text) => text.length <= maxTextLength && compiled.some((tokens) => matchesTokens(tokens, text))
}

/** Each alternative of the braces by itself; undefined when they come to too much. */
function expand(pattern: string): string[] | undefined {
  let found = ['']
  let at = 0
  const append = (texts: string[]): boolean => {
    found = found.flatMap((before) => texts.map((text) => before + text))
    return found.length === 1 || found.reduce((sum, { length }) => sum + length, 0) <= maxExpandedLength
  }
  while (at < pattern.length) {
    const character = pattern[at]!
    const end = character === '{' ? closingBrace(pattern, at) : undefined
    if (character === '\\') {
      if (!append([pattern.slice(at, at + 2)])) return undefined
      at += 2
    } else if (end !== undefined) {
      const inner = splitAlternatives(pattern.slice(at + 1, end)).map(expand)
      if (inner.includes(undefined) || !append(inner.flatMap((texts) => texts!))) return undefined
      at = end + 1
    } else {
      const stop = pattern.slice(at + 1).search(/[{\\]/)
      const next = stop === -1 ? pattern.length : at + 1 + stop
      if (!append([pattern.slice(at, next)])) return undefined
      at = next
    }
  }
  return found
}

/** Undefined where the brace stands for itself: it is not closed, or has no comma. */
function closingBrace(pattern: string, start: number): number | undefined {
  let depth = 0
  let hasComma = false
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') depth++
    else if (character === ',' && depth === 1) hasComma = true
    else if (character === '}' && --depth === 0) return hasComma ? at : undefined
  }
  return undefined
}

function splitAlternatives(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === ',' && depth === 0) {
      parts.push('')
      continue
    }
    if (character === '{') depth++
    if (character === '}') depth--
    const taken = character === '\\' ? text.slice(at, ++at + 1) : character
    parts[parts.length - 1] += taken
  }
  return parts
}

/** At the slashes that are not in brackets: `[!/]` is one part. */
const splitParts = (pattern: string): string[] => pattern.split('/')

const toPart = (part: string): Part => (part === '**' ? part : toTokens(part))

function toTokens(part: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!
    if (character === '*') {
      if (tokens.at(-1)?.is !== 'star') tokens.push({ is: 'star' })
    } else if (character === '?') tokens.push({ is: 'any' })
    else if (character === '\\' && at + 1 < part.length) tokens.push({ is: 'one', character: part[++at]! })
    else if (character === '[') {
      const read = readClass(part, at)
      if (!read) tokens.push({ is: 'one', character })
      else {
        tokens.push({ is: 'class', test: read.test })
        at = read.end
      }
    } else tokens.push({ is: 'one', character })
  }
  return tokens
}

/** Undefined where the bracket is not closed and stands for itself. */
function readClass(part: string, start: number): { test: ClassTest; end: number } | undefined {
  const isNegated = part[start + 1] === '!' || part[start + 1] === '^'
  const first = start + (isNegated ? 2 : 1)
  const end = part.indexOf(']', first + 1)
  if (end === -1) return undefined
  const ranges: [from: string, to: string][] = []
  for (let at = first; at < end; at++) {
    const from = part[at] === '\\' ? part[++at]! : part[at]!
    const isRange = part[at + 1] === '-' && at + 2 < end
    ranges.push([from, isRange ? part[at + 2]! : from])
    if (isRange) at += 2
  }
  const test: ClassTest = (character) =>
    ranges.some(([from, to]) => from <= character && character <= to) !== isNegated
  return { test, end }
}

/** Goes back to the last star alone: what an earlier one could take, that one can take as well. */
function matchesTokens(tokens: Token[], text: string): boolean {
  let at = 0
  let token = 0
  let star = -1
  let starAt = 0
  while (at < text.length) {
    const current = tokens[token]
    if (current?.is === 'star') {
      star = token++
      starAt = at
    } else if (current && fits(current, text[at]!)) {
      token++
      at++
    } else if (star !== -1) {
      token = star + 1
      at = ++starAt
    } else return false
  }
  while (tokens[token]?.is === 'star') token++
  return token === tokens.length
}

function fits(token: Token, character: string): boolean {
  if (token.is === 'one') return token.character === character
  return token.is === 'class' ? token.test(character) : true
}

/** Walks along the pattern and keeps all the places in the path that the parts so far can reach. */
function matchesParts(parts: Part[], names: string[]): boolean {
  let reached = new Set([0])
  for (const [index, part] of parts.entries()) {
    const next = new Set<number>()
    // `a/**` means what is in `a`, not `a` itself
    const least = index === parts.length - 1 ? 1 : 0
    if (part === '**') for (let at = Math.min(...reached) + least; at <= names.length; at++) next.add(at)
    else
      for (const at of reached)
        // no name is empty, but for the one before the slash that a full path begins with
        if (at < names.length && (names[at] !== '' || at === 0) && matchesTokens(part, names[at]!))
          next.add(at + 1)
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(names.length)
}
