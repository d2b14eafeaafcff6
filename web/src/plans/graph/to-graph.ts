import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { ancestorsOf, subtreeOf, sumsOf, type Tree } from '../plan-tree.ts'

export interface DrawnNode {
  node: TreeNode
  /** Nodes below it that are not drawn. */
  hidden: number
}

export interface DrawnEdge {
  id: string
  source: string
  target: string
  /** From a parent to its child, or from what has to be done to what waits for it. */
  kind: 'part' | 'wait'
}

export interface PlanGraph {
  nodes: DrawnNode[]
  edges: DrawnEdge[]
  /** Nodes that are neither drawn nor counted at one that is. */
  left: number
}

// more of them nobody can read, and to find places for them takes longer than anybody waits
export const mostDrawn = 250

/** What of a plan is drawn: level by level, as far as there is room. */
export function toGraph(tree: Tree, from?: number, most = mostDrawn): PlanGraph {
  const sums = sumsOf(tree)
  const root = from === undefined ? undefined : tree.byId.get(from)
  const all = root ? subtreeOf(tree, root.id) : tree.nodes
  const drawn = new Set<number>()
  let left = 0
  for (const level of levelsOf(all)) {
    // a level is drawn as a whole, except for the first that has too many
    if (drawn.size > 0 && drawn.size + level.length > most) break
    for (const { id } of level.slice(0, most)) drawn.add(id)
    for (const { id } of level.slice(most)) left += 1 + (sums.get(id)?.total ?? 0)
  }
  const nodes = all
    .filter(({ id }) => drawn.has(id))
    .map((node) => {
      const hasDrawn = tree.children.get(node.id)?.some(({ id }) => drawn.has(id))
      return { node, hidden: hasDrawn ? 0 : (sums.get(node.id)?.total ?? 0) }
    })
  return { nodes, edges: edgesOf(tree, all, drawn), left }
}

function levelsOf(nodes: readonly TreeNode[]): TreeNode[][] {
  const levels = new Map<number, TreeNode[]>()
  for (const node of nodes) {
    const level = levels.get(node.depth)
    if (level) level.push(node)
    else levels.set(node.depth, [node])
  }
  return [...levels].toSorted(([a], [b]) => a - b).map(([, level]) => level)
}

/** What waits below a node that is not opened is drawn at that node. */
function edgesOf(tree: Tree, nodes: readonly TreeNode[], drawn: ReadonlySet<number>): DrawnEdge[] {
  const edges = new Map<string, DrawnEdge>()
  const add = (source: number, target: number, kind: DrawnEdge['kind']) => {
    const id = `${kind}-${source}-${target}`
    edges.set(id, { id, source: String(source), target: String(target), kind })
  }
  const shownAt = (id: number) => [id, ...ancestorsOf(tree, id)].find((one) => drawn.has(one))
  for (const { id, parentId, dependencies } of nodes) {
    if (drawn.has(id) && drawn.has(parentId)) add(parentId, id, 'part')
    const target = dependencies.length > 0 ? shownAt(id) : undefined
    for (const dependency of dependencies) {
      const source = shownAt(dependency)
      if (source !== undefined && target !== undefined && source !== target) add(source, target, 'wait')
    }
  }
  return [...edges.values()]
}
