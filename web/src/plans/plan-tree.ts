import type { PlaceWish, TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'

/** The nodes of a plan, and whose children they are. They stand in the order of the tree, parents before their children. */
export interface Tree {
  nodes: readonly TreeNode[]
  byId: ReadonlyMap<number, TreeNode>
  /** By the id of their parent; 0 is the top. */
  children: ReadonlyMap<number, readonly TreeNode[]>
}

export function toTree(nodes: readonly TreeNode[]): Tree {
  const children = new Map<number, TreeNode[]>()
  for (const node of nodes) {
    const siblings = children.get(node.parentId)
    if (siblings) siblings.push(node)
    else children.set(node.parentId, [node])
  }
  return { nodes, byId: new Map(nodes.map((node) => [node.id, node])), children }
}

export const childrenOf = (tree: Tree, id: number): readonly TreeNode[] => tree.children.get(id) ?? []

/** From its parent up to the top. */
export function ancestorsOf(tree: Tree, id: number): number[] {
  const above: number[] = []
  for (let node = tree.byId.get(id); node && node.parentId !== 0; node = tree.byId.get(node.parentId))
    above.push(node.parentId)
  return above
}

export interface TreeRow {
  node: TreeNode
  hasChildren: boolean
  isOpen: boolean
  /** Its place among its siblings, from 1, and how many they are. */
  place: number
  siblings: number
}

/** What is seen of the tree while some nodes are closed. */
export function visibleRows(tree: Tree, closed: ReadonlySet<number>): TreeRow[] {
  const rows: TreeRow[] = []
  const places = new Map<number, number>()
  let hiddenBelow = Infinity
  for (const node of tree.nodes) {
    const place = (places.get(node.parentId) ?? 0) + 1
    places.set(node.parentId, place)
    if (node.depth > hiddenBelow) continue
    const hasChildren = tree.children.has(node.id)
    const isOpen = hasChildren && !closed.has(node.id)
    hiddenBelow = hasChildren && !isOpen ? node.depth : Infinity
    rows.push({ node, hasChildren, isOpen, place, siblings: childrenOf(tree, node.parentId).length })
  }
  return rows
}

/** Where a node that is about to be made stands among the rows that are seen, and how deep. */
export function draftAt(
  rows: readonly TreeRow[],
  { parentId, after }: PlaceWish,
): { index: number; depth: number } {
  const anchor = rows.findIndex(({ node }) => node.id === (after ?? parentId))
  const row = rows[anchor]
  if (!row) return { index: rows.length, depth: 0 }
  const end = rows.findIndex(({ node }, index) => index > anchor && node.depth <= row.node.depth)
  return { index: end === -1 ? rows.length : end, depth: row.node.depth + (after === undefined ? 1 : 0) }
}

export type MoveStep = 'up' | 'down' | 'in' | 'out'

/** Where one step leads; undefined where there is no such place. */
export function placeOfStep(tree: Tree, id: number, step: MoveStep): PlaceWish | undefined {
  const node = tree.byId.get(id)
  if (!node) return undefined
  const siblings = childrenOf(tree, node.parentId)
  const index = siblings.findIndex((sibling) => sibling.id === id)
  const before = siblings[index - 1]
  const after = siblings[index + 1]
  switch (step) {
    case 'up':
      return before && { before: before.id }
    case 'down':
      return after && { after: after.id }
    case 'in':
      return before && { parentId: before.id, position: 'last_child' }
    case 'out':
      return node.parentId === 0 ? undefined : { after: node.parentId }
  }
}

export type DropSide = 'before' | 'after' | 'into'

/** Where what is dropped on a row goes; undefined where it cannot: on itself, or on what is below it. */
export function placeOfDrop(
  tree: Tree,
  movedId: number,
  { node, isOpen }: TreeRow,
  side: DropSide,
): PlaceWish | undefined {
  if (node.id === movedId || ancestorsOf(tree, node.id).includes(movedId)) return undefined
  if (side === 'into') return { parentId: node.id, position: 'last_child' }
  // below an open one its children begin
  if (side === 'after' && isOpen) return { parentId: node.id, position: 'first_child' }
  return side === 'before' ? { before: node.id } : { after: node.id }
}

/** The nodes as they will be after a move, so that nobody has to wait for the server to see it. */
export function movedNodes(nodes: readonly TreeNode[], id: number, place: PlaceWish): readonly TreeNode[] {
  const from = nodes.findIndex((node) => node.id === id)
  if (from === -1) return nodes
  const end = endOfSubtree(nodes, from)
  const rest = [...nodes.slice(0, from), ...nodes.slice(end)]
  const target = findTarget(rest, place)
  if (!target) return nodes
  const { index, parentId, depth } = target
  const shift = depth - nodes[from]!.depth
  const moved = nodes
    .slice(from, end)
    .map((node) => ({ ...node, depth: node.depth + shift, ...(node.id === id && { parentId }) }))
  return [...rest.slice(0, index), ...moved, ...rest.slice(index)]
}

function findTarget(nodes: readonly TreeNode[], { parentId, position, before, after }: PlaceWish) {
  const anchor = nodes.findIndex(({ id }) => id === (before ?? after ?? parentId))
  if (parentId === 0) return { index: position === 'first_child' ? 0 : nodes.length, parentId: 0, depth: 0 }
  const node = nodes[anchor]
  if (!node) return undefined
  if (before !== undefined) return { index: anchor, parentId: node.parentId, depth: node.depth }
  const index = position === 'first_child' ? anchor + 1 : endOfSubtree(nodes, anchor)
  return after === undefined
    ? { index, parentId: node.id, depth: node.depth + 1 }
    : { index, parentId: node.parentId, depth: node.depth }
}

function endOfSubtree(nodes: readonly TreeNode[], from: number): number {
  const end = nodes.findIndex(({ depth }, index) => index > from && depth <= nodes[from]!.depth)
  return end === -1 ? nodes.length : end
}

/** A node and all below it. */
export function subtreeOf(tree: Tree, id: number): readonly TreeNode[] {
  const from = tree.nodes.findIndex((node) => node.id === id)
  return from === -1 ? [] : tree.nodes.slice(from, endOfSubtree(tree.nodes, from))
}

/** How many nodes are below it. */
export const countBelow = (tree: Tree, id: number): number => Math.max(0, subtreeOf(tree, id).length - 1)

/** What the nodes below one, and itself, come to together. */
export interface Sum {
  /** Completed and skipped ones below it, of all below it. */
  done: number
  total: number
  cost: number
  tokens: number
}

/** Of those that have children. */
export function sumsOf(tree: Tree): Map<number, Sum> {
  const sums = new Map<number, Sum>()
  // from the end: what is below comes before what it is below of
  for (const node of tree.nodes.toReversed()) {
    const own = sums.get(node.id)
    if (own) {
      own.cost += node.cost ?? 0
      own.tokens += node.tokens ?? 0
    }
    const { done = 0, total = 0, cost = node.cost ?? 0, tokens = node.tokens ?? 0 } = own ?? {}
    if (node.parentId === 0) continue
    const above = sums.get(node.parentId) ?? { done: 0, total: 0, cost: 0, tokens: 0 }
    above.done += done + (isDone(node) ? 1 : 0)
    above.total += total + 1
    above.cost += cost
    above.tokens += tokens
    sums.set(node.parentId, above)
  }
  return sums
}

export const isDone = ({ status }: Pick<TreeNode, 'status'>) => status === 'completed' || status === 'skipped'

export interface NodeFilter {
  status?: TreeNode['status']
  words: string
}

export function matchesNode({ id, name, instruction, status }: TreeNode, filter: NodeFilter): boolean {
  if (filter.status !== undefined && filter.status !== status) return false
  const text = `#${id} ${name} ${instruction}`.toLowerCase()
  return filter.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
