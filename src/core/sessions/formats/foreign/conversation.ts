import type { MessageRole, Part } from '../../../protocol/message.ts'
import { idSchema } from '../../../protocol/names.ts'
import type { SessionDocument } from '../../../protocol/session.ts'
import type { DocumentRules } from '../../../protocol/joined-facets.ts'
import { requireDocument } from '../document.ts'
import type { Block } from './blocks.ts'
import { type Fields, toInstant, toTitle } from './fields.ts'

export type ForeignMessage = {
  id?: unknown
  role: MessageRole
  blocks: Block[]
  metadata?: Fields
  createdAt?: unknown
}

export type ForeignSession = { id?: unknown; title?: unknown; createdAt?: unknown }

export type Draft = Omit<ForeignMessage, 'blocks'> & { parts: Part[] }

/**
 * Collects the messages of another tool. There, a tool's answer is a message of its own; here it completes
 * the `dynamic-tool` part of the call. An answer without a call is kept as a part too, so nothing is lost.
 */
export function createConversation() {
  const drafts: Draft[] = []
  const openCalls = new Map<string, Part>()

  function complete({ id, name, output, isError }: Extract<Block, { kind: 'result' }>): void {
    const part = openCalls.get(id) ?? toolPart(id, name ?? 'unknown', {})
    if (!openCalls.delete(id)) lastAssistant(drafts).parts.push(part)
    part.state = isError ? 'output-error' : 'output-available'
    if (isError) part.errorText = typeof output === 'string' ? output : JSON.stringify(output)
    else part.output = output
  }

  function addBlock(block: Block, parts: Part[]): void {
    if (block.kind === 'result') return complete(block)
    const part = block.kind === 'part' ? block.part : toolPart(block.id, block.name, block.input)
    if (block.kind === 'call') openCalls.set(block.id, part)
    parts.push(part)
  }

  return {
    /** A message that holds nothing but answers of tools does not appear on its own. */
    add({ blocks, ...rest }: ForeignMessage): void {
      const onlyResults = blocks.length > 0 && blocks.every((block) => block.kind === 'result')
      const draft: Draft = { ...rest, parts: [] }
      // calls of this message must be known before answers in the same message
      for (const block of blocks) if (block.kind !== 'result') addBlock(block, draft.parts)
      if (!onlyResults) drafts.push(draft)
      for (const block of blocks) if (block.kind === 'result') addBlock(block, draft.parts)
    },

    /** More of the last message, as some logs write one message over several lines. */
    extendLast(blocks: Block[], metadata?: Fields): void {
      const last = drafts.at(-1)
      if (!last) return
      if (metadata) last.metadata = { ...last.metadata, ...metadata }
      for (const block of blocks) addBlock(block, last.parts)
    },

    /** The messages so far, with ids and times as they were given. */
    drafts: (): readonly Draft[] => drafts,

    toDocument(session: ForeignSession): SessionDocument {
      return toDocument(session, drafts)
    },
  }
}

const toolPart = (toolCallId: string, toolName: string, input: unknown): Part => ({
  type: 'dynamic-tool',
  toolName,
  toolCallId,
  state: 'input-available',
  input,
})

function lastAssistant(drafts: Draft[]): Draft {
  const last = drafts.at(-1)
  if (last?.role === 'assistant') return last
  const added: Draft = { role: 'assistant', parts: [] }
  drafts.push(added)
  return added
}

/** Ids that do not fit or are taken, and times that mean nothing, are left out: the store assigns new ones. */
export function toDocument(
  session: ForeignSession & Fields,
  messages: Draft[],
  rules?: DocumentRules,
): SessionDocument {
  const { id, title, createdAt, ...facets } = session
  const taken = new Set<string>()
  return requireDocument(
    {
      format: 'parley.session',
      version: 1,
      session: {
        ...facets,
        id: idSchema.safeParse(id).data,
        title: toTitle(title),
        createdAt: toInstant(createdAt),
      },
      messages: messages.map((message) => ({
        ...message,
        id: keepId(message.id, taken),
        createdAt: toInstant(message.createdAt),
      })),
    },
    rules,
  )
}

function keepId(id: unknown, taken: Set<string>): string | undefined {
  if (typeof id !== 'string' || id.length === 0 || id.length > 200) return undefined
  if (!id.isWellFormed() || id.includes('\0') || taken.has(id)) return undefined
  taken.add(id)
  return id
}
