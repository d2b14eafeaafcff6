import { createConversation, type Draft } from '../formats/foreign/conversation.ts'
import { toInstant } from '../formats/foreign/fields.ts'
import type { Conversation, ConversationNode } from './conversation.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'
import type { ImportNotes } from './import-notes.ts'

/**
 * One course that a conversation took: the messages from its beginning to one leaf. The first branch has the key '' and
 * the others that of the message they begin with, so that a branch keeps its key when the conversation grows.
 */
export interface Branch {
  key: string
  /** The branch it leaves, and the message of that branch in whose place it has another. */
  from?: { key: string; messageId: string; isBefore: boolean }
  isCurrent: boolean
  drafts: (Draft & { id: string })[]
  createdAt?: string
  updatedAt?: string
}

interface TreeNode extends ConversationNode {
  children: TreeNode[]
  parent?: TreeNode
  depth: number
}

/** Nothing of the tree is lost except what `notes` counts. At least one branch, even when there is no message. */
export function toBranches(
  conversation: Conversation,
  limits: Pick<ImportLimits, 'branches' | 'messages'>,
  notes: ImportNotes,
): Branch[] {
  const roots = toTree(conversation.nodes, notes)
  const chains = findChains(roots)
  const current = findCurrent(conversation, chains)
  // the one that is shown is never left out
  const inOrder = new Set([chains[0], ...(current ? [current] : []), ...chains])
  const kept = new Set<Chain>()
  let messages = 0
  for (const chain of inOrder) {
    messages += chain.leaf ? chain.leaf.depth : 0
    const isWithin = kept.size < limits.branches && messages <= limits.messages
    if (isWithin || chain === current || kept.size === 0) kept.add(chain)
  }
  notes.add('branches_left_out', chains.length - kept.size)
  const times = [conversation.createdAt, conversation.updatedAt].map(toInstant)
  const time = times.find((known) => known !== undefined) ?? new Date().toISOString()
  return build(
    chains.filter((chain) => kept.has(chain)),
    { current, time, notes },
  )
}

/** From where it leaves another chain down to a leaf, always by the first child. */
interface Chain {
  head?: TreeNode
  leaf?: TreeNode
  parent?: Chain
}

/** Links nodes with those before them. What cannot be reached from a beginning is a circle, which is opened. */
function toTree(given: readonly ConversationNode[], notes: ImportNotes): TreeNode[] {
  const nodes: TreeNode[] = []
  const byId = new Map<string, TreeNode>()
  for (const node of given) {
    const isTaken = byId.has(node.id)
    if (isTaken) notes.add('duplicate_ids')
    const id = isTaken ? freeId(node.id, nodes.length, byId) : node.id
    const made: TreeNode = { ...node, id, children: [], depth: 0 }
    byId.set(id, made)
    nodes.push(made)
  }
  const roots: TreeNode[] = []
  for (const node of nodes) {
    const parent = node.parentId === undefined ? undefined : byId.get(node.parentId)
    if (parent && parent !== node) {
      node.parent = parent
      parent.children.push(node)
      continue
    }
    if (parent === node) notes.add('cycles')
    else if (node.parentId !== undefined) notes.add('parents_missing')
    roots.push(node)
  }
  const reached = new Set<TreeNode>()
  for (const root of roots) reach(root, reached)
  for (const node of nodes) {
    if (reached.has(node)) continue
    notes.add('cycles')
    const first = findCircle(node)
    const { parent } = first
    parent!.children.splice(parent!.children.indexOf(first), 1)
    first.parent = undefined
    roots.push(first)
    reach(first, reached)
  }
  return roots
}

/** A node of the circle in which the nodes before this one end. */
function findCircle(node: TreeNode): TreeNode {
  const seen = new Set<TreeNode>()
  let next = node
  while (!seen.has(next)) {
    seen.add(next)
    next = next.parent!
  }
  return next
}

function freeId(id: string, place: number, taken: ReadonlyMap<string, unknown>): string {
  let free = `${id}~${place + 1}`
  while (taken.has(free)) free += '~'
  return free
}

/** Without recursion: a tree may be as deep as its conversation is long. */
function reach(root: TreeNode, reached: Set<TreeNode>): void {
  const open = [root]
  root.depth = 1
  for (let node = open.pop(); node; node = open.pop()) {
    reached.add(node)
    for (const child of node.children) {
      child.depth = node.depth + 1
      open.push(child)
    }
  }
}

/** One per leaf, each after the chain that it leaves. */
function findChains(roots: readonly TreeNode[]): [Chain, ...Chain[]] {
  const [root, ...others] = roots
  const first: Chain = { head: root }
  const chains: [Chain, ...Chain[]] = [first]
  const open: Chain[] = others.map((head) => ({ head, parent: first })).toReversed()
  for (let chain: Chain | undefined = first; chain; chain = open.pop()) {
    if (chain !== first) chains.push(chain)
    const beside: Chain[] = []
    for (let node = chain.head; node; node = node.children[0]) {
      chain.leaf = node
      for (const head of node.children.slice(1)) beside.push({ head, parent: chain })
    }
    for (const sibling of beside.toReversed()) open.push(sibling)
  }
  return chains
}

function findCurrent({ currentId, nodes }: Conversation, chains: readonly Chain[]): Chain | undefined {
  if (currentId !== undefined) {
    const named = chains.find(({ leaf }) => leaf?.id === currentId)
    if (named) return named
    // a message in the middle is shown when what follows it is hidden: any branch through it will do
    const through = chains.find((chain) => passes(chain, currentId))
    if (through) return through
  }
  const order = new Map(nodes.map((node, index) => [node.id, index]))
  const times = chains.map(({ leaf }) => toInstant(leaf?.message?.createdAt) ?? '')
  let newest: number | undefined
  for (const [index, { leaf }] of chains.entries()) {
    if (!leaf) continue
    if (newest === undefined) newest = index
    else if (times[index]! > times[newest]!) newest = index
    else if (times[index] === times[newest] && order.get(leaf.id)! > order.get(chains[newest]!.leaf!.id)!)
      newest = index
  }
  return newest === undefined ? undefined : chains[newest]
}

function passes({ head, leaf }: Chain, id: string): boolean {
  for (let node = leaf; node; node = node === head ? undefined : node.parent) if (node.id === id) return true
  return false
}

interface Building {
  current: Chain | undefined
  /** Of messages when none of them has one. */
  time: string
  notes: ImportNotes
}

function build(chains: readonly Chain[], { current, time, notes }: Building): Branch[] {
  const branches: Branch[] = []
  // where a chain has nothing of its own to show, the branch that shows as much as it does
  const branchOf = new Map<Chain, Branch>()
  const counted = new Set<TreeNode>()
  for (const chain of chains) {
    const path = pathTo(chain.leaf)
    const drafts = toDrafts(path, counted, notes)
    const parent = nearest(chain.parent, branchOf) ?? branches[0]
    // a beginning without messages is no branch where there are others
    if (!parent && drafts.length === 0 && chain !== chains.at(-1)) continue
    if (parent) {
      const shared = countShared(parent.drafts, drafts)
      if (shared === drafts.length) {
        branchOf.set(chain, parent)
        parent.isCurrent ||= chain === current
        continue
      }
      setTimes(drafts, shared, time)
      const instead = parent.drafts[shared]
      const last = parent.drafts[shared - 1]
      const branch: Branch = {
        key: chain.head!.id,
        from: instead
          ? { key: parent.key, messageId: instead.id, isBefore: true }
          : last && { key: parent.key, messageId: last.id, isBefore: false },
        isCurrent: chain === current,
        drafts,
        createdAt: drafts[shared]!.createdAt as string | undefined,
        updatedAt: latest(drafts),
      }
      branches.push(branch)
      branchOf.set(chain, branch)
      continue
    }
    setTimes(drafts, 0, time)
    const branch: Branch = {
      key: '',
      isCurrent: chain === current,
      drafts,
      createdAt: drafts[0]?.createdAt as string | undefined,
      updatedAt: latest(drafts),
    }
    branches.push(branch)
    branchOf.set(chain, branch)
  }
  return branches
}

function pathTo(leaf: TreeNode | undefined): TreeNode[] {
  const path: TreeNode[] = []
  for (let node = leaf; node; node = node.parent) path.push(node)
  return path.toReversed()
}

function toDrafts(
  path: readonly TreeNode[],
  counted: Set<TreeNode>,
  notes: ImportNotes,
): (Draft & { id: string })[] {
  const conversation = createConversation()
  for (const node of path) {
    if (!node.message) continue
    const isNew = !counted.has(node)
    counted.add(node)
    if (node.message.blocks.length === 0) {
      if (isNew) notes.add('empty_messages')
      continue
    }
    if (isNew && toInstant(node.message.createdAt) === undefined) notes.add('times_missing')
    conversation.add({ ...node.message, id: node.id })
  }
  const taken = new Set<string>()
  return conversation.drafts().map((draft, index) => {
    // an answer of a tool without its call begins a message of its own
    const id = typeof draft.id === 'string' ? draft.id : `answer-${index + 1}`
    let kept = fitsAsId(id) ? id : `unnamed-${index + 1}`
    while (taken.has(kept)) kept = `${kept.slice(0, 190)}~${index + 1}`
    taken.add(kept)
    return { ...draft, id: kept, createdAt: toInstant(draft.createdAt) }
  })
}

const fitsAsId = (id: string) => id !== '' && id.length <= 200 && id.isWellFormed() && !id.includes('\0')

/** A parent chain that was left out stands for the one that it left in turn. */
function nearest(chain: Chain | undefined, branchOf: ReadonlyMap<Chain, Branch>): Branch | undefined {
  for (let next = chain; next; next = next.parent) {
    const branch = branchOf.get(next)
    if (branch) return branch
  }
  return undefined
}

/** The last one in common may be an answer that got other results of its tools. */
function countShared(one: Branch['drafts'], other: Branch['drafts']): number {
  let shared = 0
  while (shared < one.length && shared < other.length && one[shared]!.id === other[shared]!.id) shared++
  const last = shared - 1
  const isSame = shared === 0 || JSON.stringify(one[last]!.parts) === JSON.stringify(other[last]!.parts)
  return isSame ? shared : last
}

/**
 * A message without a time has that of the one before, or of the first one that has any. Where a branch begins it is a
 * moment later: that is how a page finds the place where variants begin to differ.
 */
function setTimes(drafts: (Draft & { id: string })[], ownFrom: number, time: string): void {
  let last = (drafts.find(({ createdAt }) => createdAt !== undefined)?.createdAt ?? time) as string
  for (const [index, draft] of drafts.entries()) {
    if (draft.createdAt === undefined)
      draft.createdAt = index === ownFrom && index > 0 ? momentAfter(last) : last
    last = draft.createdAt as string
  }
}

const momentAfter = (time: string) => new Date(Date.parse(time) + 1).toISOString()

function latest(drafts: readonly Draft[]): string | undefined {
  let newest: string | undefined
  for (const { createdAt } of drafts)
    if (typeof createdAt === 'string' && (newest === undefined || createdAt > newest)) newest = createdAt
  return newest
}
