import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import { isPossible, nodeActions, openDependencies } from './node-actions.ts'
import { toTree } from './plan-tree.ts'

const node = (id: number, parentId: number, more: Partial<TreeNode> = {}) =>
  ({ id, parentId, depth: parentId === 0 ? 0 : 1, dependencies: [], status: 'pending', ...more }) as TreeNode

const possible = (one: TreeNode) =>
  nodeActions.filter(({ name }) => isPossible(toTree([one]), one, name)).map(({ name }) => name)

describe('what can be done with a node', () => {
  it.each<[Partial<TreeNode>, string[]]>([
    [{ status: 'pending' }, ['run', 'skip', 'done', 'decompose']],
    [{ status: 'running' }, ['stop', 'message', 'skip', 'done']],
    [{ status: 'completed', hasResult: true }, ['rerun', 'reset', 'decompose']],
    [{ status: 'failed', hasResult: true }, ['run', 'rerun', 'skip', 'done', 'reset', 'accept', 'decompose']],
    [{ status: 'failed', hasResult: false }, ['run', 'rerun', 'skip', 'done', 'reset', 'decompose']],
    [
      { status: 'partial', hasResult: true },
      ['run', 'rerun', 'skip', 'done', 'reset', 'accept', 'decompose'],
    ],
    [
      { status: 'refused', hasResult: true },
      ['run', 'rerun', 'skip', 'done', 'reset', 'accept', 'decompose'],
    ],
    [{ status: 'blocked' }, ['run', 'skip', 'done', 'reset', 'decompose']],
  ])('depends on how it stands: %j', (facts, names) => {
    expect(possible(node(1, 0, facts))).toEqual([...names, 'rename', 'addInside', 'addAfter', 'remove'])
  })

  it('begins with what it and those below it wait for', () => {
    const tree = toTree([
      node(1, 0, { dependencies: [4] }),
      node(2, 1, { dependencies: [3, 5] }),
      node(3, 1),
      node(4, 0, { status: 'completed' }),
      node(5, 0, { status: 'failed' }),
      node(6, 0),
    ])
    const idsFor = (id: number) => openDependencies(tree, tree.byId.get(id)!).map((one) => one.id)
    expect(idsFor(1)).toEqual([5])
    expect(idsFor(2)).toEqual([3, 5])
    expect(idsFor(6)).toEqual([])
  })
})
