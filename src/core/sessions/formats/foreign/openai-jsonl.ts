import { invalidRequest, ParleyError } from '../../../protocol/error.ts'
import type { SessionDocument } from '../../../protocol/session.ts'
import type { Row } from '../jsonl.ts'
import { createConversation } from './conversation.ts'
import { isFields } from './fields.ts'
import { fromUiMessages, toMessage } from './ui-messages.ts'

/** One `{role, content}` per line is one session; one `{messages}` per line, as for fine-tuning, is one each. */
export function fromOpenAiRows(rows: Row[]): SessionDocument[] {
  const holdsSessions = rows.map(({ value }) => isFields(value) && Array.isArray(value.messages))
  if (holdsSessions.every(Boolean)) return rows.map(fromSessionRow)
  const odd = holdsSessions.indexOf(true)
  if (odd !== -1)
    throw invalidRequest(`Line ${rows[odd]!.line} holds "messages", but other lines are messages themselves.`)
  const conversation = createConversation()
  for (const { line, value } of rows) conversation.add(toMessage(value, `Line ${line}`))
  return [conversation.toDocument({})]
}

function fromSessionRow({ line, value }: Row): SessionDocument {
  try {
    return fromUiMessages(value)
  } catch (error) {
    throw error instanceof ParleyError ? invalidRequest(`Line ${line}: ${error.message}`) : error
  }
}
