import { z } from 'zod'
import { invalidRequest } from '../protocol/error.ts'
import { messageText } from '../protocol/message-text.ts'
import type { Message, Part } from '../protocol/message.ts'
import { unsearchedNote } from '../protocol/search.ts'
import { excerptAround } from '../shared/text.ts'
import { catchUpIndex, mostCaughtUp } from '../store/catch-up-index.ts'
import type { SearchIndexQueries } from '../store/queries/search-index.ts'
import type { StoreOperations } from '../store/store.ts'
import { defineTool, type Tool } from './tool.ts'

const seqSchema = z.int().positive()
const maxExcerpt = 600
// so much of a long text stands before the word that was found
const leadIn = 200
const maxPiece = 8_000
const defaultLimit = 10

/**
 * Lets the model search all messages of its session, also those it does not see any more. `hasIndexer`: what is far behind
 * is taken into the search index by somebody else.
 */
export function createRecallTool(
  store: Pick<StoreOperations, 'listMessages' | 'searchMessages'> & SearchIndexQueries,
  { hasIndexer = true }: { hasIndexer?: boolean } = {},
): Tool {
  const most = hasIndexer ? mostCaughtUp : { messages: Infinity, bytes: Infinity }
  return defineTool({
    name: 'recall',
    group: 'search',
    offered: 'line',
    description:
      'Looks up earlier messages of this conversation, also those that are not shown any more. ' +
      'With "query" it finds messages that hold all the words, newest first; without it, it lists messages in order. ' +
      '"before" and "after" (message numbers) page through either. "message" reads one message whole, in pieces from "offset".',
    input: z.strictObject({
      query: z.string().min(1).max(500).optional(),
      before: seqSchema.optional(),
      after: z.int().nonnegative().optional(),
      limit: z.int().min(1).max(50).optional(),
      message: seqSchema.optional(),
      offset: z.int().nonnegative().optional(),
    }),
    isIdempotent: true,
    async execute({ query, before, after, limit = defaultLimit, message, offset = 0 }, { scope, sessionId }) {
      if (message !== undefined) {
        const [found] = await store.listMessages(scope, sessionId, { after: message - 1, limit: 1 })
        if (found?.seq !== message) throw invalidRequest(`There is no message ${message}.`)
        return readPiece(found, offset)
      }
      if (query === undefined)
        return describe(await store.listMessages(scope, sessionId, { before, after, limit }))
      if (after !== undefined) throw invalidRequest('With "query", page with "before".')
      const unsearched = await catchUpIndex(store, scope, { sessionId, most })
      const found = await store.searchMessages(scope, sessionId, { text: query, before, limit })
      const note = unsearchedNote(unsearched)
      return `${describe(found, query)}${note ? `\n\n[${note}]` : ''}`
    },
  })
}

function describe(messages: Message[], query?: string): string {
  if (messages.length === 0) return 'No such messages.'
  return messages.map((message) => `${headOf(message)} ${excerpt(wholeText(message), query)}`).join('\n\n')
}

function readPiece(message: Message, offset: number): string {
  const text = wholeText(message)
  const piece = wholeCharacters(text.slice(offset, offset + maxPiece))
  const end = offset + piece.length
  const more = end < text.length ? `\n[${text.length - end} more characters: offset ${end}]` : ''
  return `${headOf(message)} ${piece}${more}`
}

/** Without half a character at the end: it comes with the next piece. */
const wholeCharacters = (text: string) => text.replace(/[\uD800-\uDBFF]$/, '').toWellFormed()

const headOf = ({ seq, role, createdAt }: Message) => `[${seq}] ${role}, ${createdAt}:`

/** Texts, tool calls and their results. */
function wholeText(message: Message): string {
  const calls = message.parts.flatMap((part) => describeCall(part) ?? [])
  return [messageText(message), ...calls].filter((text) => text !== '').join('\n')
}

function describeCall(part: Part): string | undefined {
  if (part.toolCallId === undefined) return undefined
  const name = String(part.toolName ?? part.type.slice('tool-'.length))
  const outcome = part.output ?? part.errorText
  const text = typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
  return `(${name} ${JSON.stringify(part.input)} → ${text})`
}

/** Around the first of the searched words, or the beginning. */
function excerpt(text: string, query = ''): string {
  if (text.length <= maxExcerpt) return text
  const { from, piece } = excerptAround(text, query.split(/\s+/), { length: maxExcerpt, leadIn })
  return `${from > 0 ? '… ' : ''}${piece} … (${text.length} characters in all)`
}
