import { invalidRequest } from '../../../protocol/error.ts'
import { type Block, toBlocks } from '../../formats/foreign/blocks.ts'
import { answerMetadata } from '../../formats/foreign/claude-code.ts'
import { asText, type Fields, isFields, toTitle } from '../../formats/foreign/fields.ts'
import type { Conversation, ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { LogRow, LogSource } from './source.ts'

/**
 * A log of Claude Code, `~/.claude/projects/<project>/<session>.jsonl`. Lines name the one before them, so a session that
 * was rewound has branches. One answer is written over several lines, one per block, with the results of its tools in
 * between, some of which name a line in its middle: all of them are one message here.
 */
export const claudeCode: LogSource = {
  kind: 'log',
  name: 'claude-code',
  label: 'Claude Code (project log, *.jsonl)',
  recognises: (value) => {
    if (value.type === 'summary') return typeof value.leafUuid === 'string'
    return (value.type === 'user' || value.type === 'assistant') && isFields(value.message)
  },
  read: toConversation,
}

// as long as a title in a list of sessions may be without being cut again
const titleLength = 60

type Unit = ConversationNode & { message: NonNullable<ConversationNode['message']> }

function toConversation(rows: readonly LogRow[], notes: ImportNotes): Conversation {
  const nodes: ConversationNode[] = []
  // every line by its uuid, as the node that holds it
  const nodeOf = new Map<string, ConversationNode>()
  const answers = new Map<string, Unit>()
  const callers = new Map<string, Unit>()
  let summary: string | undefined
  let firstSaid: string | undefined
  let last: Fields | undefined
  let first: Fields | undefined
  let current: string | undefined
  for (const { line, value } of rows) {
    if (value.type === 'summary') summary = asText(value.summary) ?? summary
    if (value.isSidechain === true) {
      notes.add('side_chains')
      continue
    }
    const id = asText(value.uuid) ?? `line-${line}`
    if (nodeOf.has(id)) {
      notes.add('duplicate_ids')
      continue
    }
    const parent = asText(value.parentUuid) ?? asText(value.logicalParentUuid)
    const parentId = parent === undefined ? undefined : (nodeOf.get(parent)?.id ?? parent)
    if (!isSpoken(value)) {
      notes.add(value.isMeta === true ? 'hidden_messages' : 'other_lines')
      // what has no name cannot be what another line follows
      if (asText(value.uuid) === undefined) continue
      const link = { id, parentId }
      nodes.push(link)
      nodeOf.set(id, link)
      continue
    }
    first ??= value
    last = value
    const { message } = value
    const blocks = toBlocks(message.content, `Line ${line}: content`)
    if (value.type === 'user') firstSaid ??= firstText(blocks)
    const unit = findUnit(value, blocks)
    if (unit) {
      unit.message.blocks.push(...blocks)
      unit.message.metadata = { ...unit.message.metadata, ...answerMetadata(message) }
    }
    const node = unit ?? toUnit(value, id, parentId, blocks)
    if (!unit) nodes.push(node)
    nodeOf.set(id, node)
    current = node.id
    for (const block of blocks) if (block.kind === 'call') callers.set(block.id, node)
    const answerId = value.type === 'assistant' ? asText(message.id) : undefined
    if (answerId !== undefined) answers.set(answerId, node)
  }
  if (!first) throw invalidRequest('The log holds no message.')
  return {
    id: asText(last?.sessionId) ?? '',
    title: toTitle(summary ?? firstSaid, titleLength),
    createdAt: first.timestamp,
    currentId: current,
    nodes: inOneChain(nodes),
  }

  /** What a line continues: the answer it is a piece of, or the one whose tools it answers. */
  function findUnit({ type, message }: Spoken, blocks: readonly Block[]): Unit | undefined {
    if (type === 'assistant') return answers.get(asText(message.id) ?? '')
    const [result] = blocks
    const isOnlyResults = blocks.length > 0 && blocks.every((block) => block.kind === 'result')
    return isOnlyResults && result?.kind === 'result' ? callers.get(result.id) : undefined
  }
}

type Spoken = Fields & { type: 'user' | 'assistant'; message: Fields }

const isSpoken = (value: Fields): value is Spoken =>
  (value.type === 'user' || value.type === 'assistant') && isFields(value.message) && value.isMeta !== true

const toUnit = (value: Spoken, id: string, parentId: string | undefined, blocks: Block[]): Unit => ({
  id,
  parentId,
  message: {
    role: value.type,
    blocks,
    metadata: answerMetadata(value.message),
    createdAt: value.timestamp,
  },
})

/** Logs of old versions name no line before: those are in the order of the file. */
function inOneChain(nodes: ConversationNode[]): ConversationNode[] {
  if (nodes.some(({ parentId }) => parentId !== undefined)) return nodes
  return nodes.map((node, index) => ({ ...node, parentId: nodes[index - 1]?.id }))
}

function firstText(blocks: readonly Block[]): string | undefined {
  for (const block of blocks)
    if (block.kind === 'part' && block.part.type === 'text') return asText(block.part.text)
  return undefined
}
