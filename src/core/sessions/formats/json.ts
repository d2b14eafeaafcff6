import { invalidRequest, ParleyError } from '../../protocol/error.ts'
import { requireCleanJson } from '../../protocol/json.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { documentDepth, type DocumentHead, requireDocument, type Writing } from './document.ts'

/** As `JSON.stringify` writes the whole document with two blanks of indentation. */
export function startJson(head: DocumentHead, messageCount: number): Writing {
  const outer = JSON.stringify(head, null, 2).slice(0, -2)
  if (messageCount === 0) return { begin: `${outer},\n  "messages": []\n}\n`, message: () => '', end: '' }
  return {
    begin: `${outer},\n  "messages": [`,
    message: (message, place) =>
      `${place === 0 ? '' : ','}\n    ${JSON.stringify(message, null, 2).replaceAll('\n', '\n    ')}`,
    end: '\n  ]\n}\n',
  }
}

export function readJson(text: string, rules?: DocumentRules): SessionDocument {
  return requireDocument(parseJson(text, 'The file'), rules)
}

/**
 * A value that is safe to inspect, and to quote in a refusal: not too deep, no `__proto__`.
 * `what` begins the sentence of a refusal: "The file", "Line 3".
 */
export function parseJson(text: string, what: string): unknown {
  const value = parse(text, what)
  try {
    requireCleanJson(value, documentDepth)
  } catch (error) {
    throw error instanceof ParleyError ? invalidRequest(`${what}: ${error.message}`) : error
  }
  return value
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // the message may quote the input, line breaks and control characters included
    const reason = error instanceof Error ? error.message.replaceAll(/\p{Cc}/gu, ' ') : String(error)
    throw invalidRequest(`${what} is not valid JSON: ${reason}.`)
  }
}
