import { isObject } from '../../core/shared/type-checks.ts'
import { readLoose } from '../../core/shared/loose-json.ts'

export type Found = { object: Record<string, unknown> } | { problem: string }

/**
 * The one object of an answer, with whatever words and fences around it. An answer that is JSON as it stands is that
 * object and nothing within it; what begins as a reply and is broken is not searched for another.
 */
export function findReplyObject(text: string): Found {
  const whole = parse(text)
  if (isObject(whole)) return { object: whole }
  // all of it in quotes
  const written = typeof whole === 'string' ? whole : text
  const inner = written === text ? undefined : parse(written)
  return isObject(inner) ? { object: inner } : searchObjects(written)
}

// words have fewer braces that lead to nothing
const maxFailures = 1_000

function searchObjects(text: string): Found {
  const replies = new Map<string, Record<string, unknown>>()
  let other: Found = { problem: 'The answer is no JSON object.' }
  let at = text.indexOf('{')
  for (let failures = 0; at >= 0 && failures < maxFailures;) {
    const read = readLoose(text, at)
    if ('problem' in read) {
      failures++
      const problem = `The answer is no JSON: ${read.problem}.`
      if (replyStart.test(text.slice(at, at + 100))) return { problem }
      other = 'object' in other ? other : { problem }
    } else if (isObject(read.value)) {
      const isReply = 'llm_reply' in read.value || 'actions' in read.value
      if (isReply) replies.set(JSON.stringify(read.value), read.value)
      else if (!('object' in other)) other = { object: read.value }
    }
    at = text.indexOf('{', Math.max(read.end, at + 1))
  }
  const [object] = replies.values()
  if (replies.size > 1)
    return { problem: `The answer holds ${replies.size} different replies; there must be one.` }
  return object ? { object } : other
}

const replyStart = /^\{\s*["'“]?(?:llm_reply|actions)\b/

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
