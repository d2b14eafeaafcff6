import { invalidRequest, quote } from './error.ts'

export const defaultJsonDepth = 64

/** Undefined for a body of blanks. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

/**
 * Refuses JSON that would be trouble further in: text that no database or UTF-8 stream can carry
 * (NUL, half a surrogate pair), numbers that JSON cannot write again, `__proto__` keys, and nesting that would
 * overflow a recursive reader.
 */
export function requireCleanJson(value: unknown, maxDepth = defaultJsonDepth): void {
  walk(value, [], maxDepth)
}

function walk(value: unknown, path: string[], depthLeft: number): void {
  if (typeof value === 'string') return requireCleanText(value, () => placeOf(path))
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalidRequest(`The number at ${placeOf(path)} is too large.`)
  if (typeof value !== 'object' || value === null) return
  if (depthLeft === 0)
    throw invalidRequest(`The body is nested too deeply at ${placeOf(path)}; the limit is limits.jsonDepth.`)
  for (const key of Object.keys(value)) {
    path.push(key)
    if (key === '__proto__') throw invalidRequest(`The key "__proto__" at ${placeOf(path)} is not accepted.`)
    requireCleanText(key, () => `a key at ${placeOf(path)}`)
    walk((value as Record<string, unknown>)[key], path, depthLeft - 1)
    path.pop()
  }
}

/** Whether a recursive reader would go down more than `levels` from here. */
export const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)))

/** How many values there are, itself included; stops a little after `enough`. */
export function countValues(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    count += countValues(inner, enough - count)
    if (count > enough) break
  }
  return count
}

/** `where` names the place in the error; made only then, because a place may be long. */
export function requireCleanText(text: string, where: () => string): void {
  if (!text.isWellFormed())
    throw invalidRequest(`The text at ${where()} holds half of a surrogate pair, which is not valid Unicode.`)
  if (text.includes('\0')) throw invalidRequest(`The text at ${where()} holds a NUL character.`)
}

const placeOf = (path: string[]) => (path.length === 0 ? 'the top level' : quote(path.slice(0, 12).join('.')))
