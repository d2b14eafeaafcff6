import type { ForeignMessage } from '../formats/foreign/conversation.ts'

/**
 * A conversation of another program, whatever its format: a tree of messages of which each path from a root to a leaf is
 * one course that it took. Readers of formats make it; `toBranches` makes sessions of it.
 */
export interface Conversation {
  /** What names it in its source; empty when nothing does. */
  id: string
  title?: unknown
  createdAt?: unknown
  updatedAt?: unknown
  isArchived?: boolean
  /** What the assistant was told to keep to. */
  instructions?: string
  /** The last message of the branch that is shown; default: that of the newest leaf. */
  currentId?: string
  nodes: ConversationNode[]
}

export interface ConversationNode {
  id: string
  /** Missing or unknown: it begins the conversation. */
  parentId?: string
  /** Missing for what only holds the tree together. */
  message?: Omit<ForeignMessage, 'id'>
}

/** A list is a tree without branches. */
export function toChain(nodes: Omit<ConversationNode, 'parentId'>[]): ConversationNode[] {
  return nodes.map((node, index) => ({ ...node, parentId: nodes[index - 1]?.id }))
}

/** In the place of a file that the archive holds beside the conversation: `asset:<id>`. */
export const assetScheme = 'asset:'
