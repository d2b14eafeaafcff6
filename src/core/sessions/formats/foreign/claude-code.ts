import type { SessionDocument } from '../../../protocol/session.ts'
import type { Row } from '../jsonl.ts'
import { toBlocks } from './blocks.ts'
import { createConversation } from './conversation.ts'
import { asNumber, asText, definedFields, type Fields, isFields, toTitle } from './fields.ts'

// as long as a title in a list of sessions may be without being cut again
const titleLength = 60

/**
 * A log of `~/.claude/projects/<project>/<session>.jsonl`: the messages of the main chain in the order of the file.
 * Side chains (sub-agents), notes to the model (`isMeta`) and other kinds of lines are counted in `skipped`.
 */
export function fromClaudeCodeRows(rows: Row[]): { document: SessionDocument; skipped: number } {
  const conversation = createConversation()
  let lastMessageId: string | undefined
  const spoken: Fields[] = []
  let summary: string | undefined
  for (const { line, value } of rows) {
    if (isFields(value) && value.type === 'summary') summary = asText(value.summary) ?? summary
    if (!isSpoken(value)) continue
    spoken.push(value)
    const { message } = value
    const blocks = toBlocks(message.content, `Line ${line}: content`)
    // one answer is written over several lines, one per block, with answers of tools in between
    const messageId = value.type === 'assistant' ? asText(message.id) : undefined
    const role = value.type === 'assistant' ? 'assistant' : 'user'
    if (messageId !== undefined && messageId === lastMessageId)
      conversation.extendLast(blocks, answerMetadata(message))
    else
      conversation.add({
        id: value.uuid,
        role,
        blocks,
        metadata: answerMetadata(message),
        createdAt: value.timestamp,
      })
    const onlyResults = blocks.length > 0 && blocks.every((block) => block.kind === 'result')
    if (!onlyResults) lastMessageId = messageId
  }
  const document = conversation.toDocument({
    id: spoken.at(-1)?.sessionId,
    createdAt: spoken[0]?.timestamp,
    title: toTitle(summary ?? firstUserText(spoken), titleLength),
  })
  return { document, skipped: rows.length - spoken.length }
}

type Spoken = Fields & { type: 'user' | 'assistant'; message: Fields }

function isSpoken(value: unknown): value is Spoken {
  if (!isFields(value) || !isFields(value.message)) return false
  return (
    (value.type === 'user' || value.type === 'assistant') &&
    value.isSidechain !== true &&
    value.isMeta !== true
  )
}

export function answerMetadata({ model, usage }: Fields): Fields | undefined {
  return definedFields({ model: asText(model), usage: isFields(usage) ? usageOf(usage) : undefined })
}

const usageOf = (usage: Fields) =>
  definedFields({
    inputTokens: asNumber(usage.input_tokens),
    outputTokens: asNumber(usage.output_tokens),
    cacheReadTokens: asNumber(usage.cache_read_input_tokens),
    cacheWriteTokens: asNumber(usage.cache_creation_input_tokens),
  })

function firstUserText(spoken: Fields[]): string | undefined {
  for (const { type, message } of spoken) {
    if (type !== 'user') continue
    for (const block of toBlocks((message as Fields).content, 'content'))
      if (block.kind === 'part' && block.part.type === 'text') return asText(block.part.text)
  }
  return undefined
}
