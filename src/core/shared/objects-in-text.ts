import { readLoose } from './loose-json.ts'
import { isObject } from './type-checks.ts'

export type FoundObject = { object: Record<string, unknown>; isWhole: boolean } | { problem: string }

// words have fewer braces that lead to nothing
const maxFailures = 1_000

/**
 * The objects of a text, with whatever words and fences around them, in order. A text that is JSON as it stands is that
 * object and nothing within it.
 */
export function* objectsIn(text: string): Generator<FoundObject> {
  const whole = parse(text)
  if (isObject(whole)) return yield { object: whole, isWhole: true }
  // all of it in quotes
  const written = typeof whole === 'string' ? whole : text
  let at = written.indexOf('{')
  for (let failures = 0; at >= 0 && failures < maxFailures;) {
    const read = readLoose(written, at)
    if ('problem' in read) {
      failures++
      yield { problem: read.problem }
    } else if (isObject(read.value)) yield { object: read.value, isWhole: false }
    at = written.indexOf('{', Math.max(read.end, at + 1))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined // not JSON as it stands
  }
}
