import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { toTree } from '../plan-tree.ts'
import { layoutGraph } from './layout.ts'
import { toGraph } from './to-graph.ts'

const node = (id: number, parentId: number, depth: number, dependencies: number[] = []) =>
  ({ id, parentId, depth, dependencies, name: `Node ${id}`, status: 'pending' }) as unknown as TreeNode

/** Two branches; 4 waits for 3, and 6 for what is below the other branch. */
const tree = toTree([
  node(1, 0, 0),
  node(2, 1, 1),
  node(3, 2, 2),
  node(4, 2, 2, [3]),
  node(5, 0, 0),
  node(6, 5, 1, [4]),
])
const names = (graph: ReturnType<typeof toGraph>) => graph.edges.map(({ id }) => id).toSorted()

describe('the drawing of a plan', () => {
  it('has an edge to every child, and from what has to be done before', () => {
    const graph = toGraph(tree)
    expect(graph.nodes).toHaveLength(6)
    expect(graph.left).toBe(0)
    expect(names(graph)).toEqual(['part-1-2', 'part-2-3', 'part-2-4', 'part-5-6', 'wait-3-4', 'wait-4-6'])
  })

  it('stops at a level that has no room, and draws what waits below at what is shown', () => {
    const graph = toGraph(tree, undefined, 4)
    expect(graph.nodes.map(({ node: { id }, hidden }) => [id, hidden])).toEqual([
      [1, 0],
      [2, 2],
      [5, 0],
      [6, 0],
    ])
    expect(names(graph)).toEqual(['part-1-2', 'part-5-6', 'wait-2-6'])
  })

  it('begins at a node', () => {
    const graph = toGraph(tree, 2)
    expect(graph.nodes.map(({ node: { id } }) => id)).toEqual([2, 3, 4])
    expect(names(graph)).toEqual(['part-2-3', 'part-2-4', 'wait-3-4'])
  })

  it('says how many are left out where one level alone is too large', () => {
    const flat = toTree(Array.from({ length: 10 }, (_, index) => node(index + 1, 0, 0)))
    const graph = toGraph(flat, undefined, 4)
    expect(graph.nodes).toHaveLength(4)
    expect(graph.left).toBe(6)
  })

  it('has a place for every node, none on another', () => {
    const boxes = [...layoutGraph(toGraph(tree)).values()]
    expect(boxes).toHaveLength(6)
    for (const [index, a] of boxes.entries())
      for (const b of boxes.slice(index + 1))
        expect(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
        ).toBe(true)
  })
})
