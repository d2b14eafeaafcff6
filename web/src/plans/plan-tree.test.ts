import { describe, expect, it } from 'vitest'
import type { PlaceWish, TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import {
  ancestorsOf,
  countBelow,
  draftAt,
  matchesNode,
  movedNodes,
  placeOfDrop,
  placeOfStep,
  sumsOf,
  toTree,
  visibleRows,
  type MoveStep,
} from './plan-tree.ts'

const node = (id: number, parentId: number, depth: number, more: Partial<TreeNode> = {}): TreeNode => ({
  id,
  parentId,
  depth,
  position: 0,
  name: `Node ${id}`,
  instruction: '',
  status: 'pending',
  dependencies: [],
  metadata: {},
  hasResult: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

/**
 * 1
 *   2
 *     3
 *   4
 * 5
 */
const nodes = [node(1, 0, 0), node(2, 1, 1), node(3, 2, 2), node(4, 1, 1), node(5, 0, 0)]
const tree = toTree(nodes)
const shape = (all: readonly TreeNode[]) => all.map(({ id, parentId, depth }) => [id, parentId, depth])

describe('rows of the tree', () => {
  it('leave out what is below a closed one, and count all siblings', () => {
    const rows = visibleRows(tree, new Set([2]))
    expect(rows.map((row) => row.node.id)).toEqual([1, 2, 4, 5])
    expect(rows.map(({ place, siblings }) => `${place}/${siblings}`)).toEqual(['1/2', '1/2', '2/2', '2/2'])
    expect(rows.map(({ hasChildren, isOpen }) => [hasChildren, isOpen])).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [false, false],
    ])
  })

  it('show nothing of a closed branch, also of closed ones in it', () => {
    expect(visibleRows(tree, new Set([1, 2])).map((row) => row.node.id)).toEqual([1, 5])
  })

  it.each([
    [{ parentId: 0 }, 5, 0],
    [{ parentId: 1 }, 4, 1],
    [{ parentId: 3 }, 3, 3],
    [{ after: 2 }, 3, 1],
    [{ after: 5 }, 5, 0],
  ])('have room for a new one at %j', (place, index, depth) => {
    expect(draftAt(visibleRows(tree, new Set()), place)).toEqual({ index, depth })
  })

  it('know what is above and how much is below', () => {
    expect(ancestorsOf(tree, 3)).toEqual([2, 1])
    expect(ancestorsOf(tree, 5)).toEqual([])
    expect(countBelow(tree, 1)).toBe(3)
    expect(countBelow(tree, 5)).toBe(0)
  })
})

describe('a step of a node', () => {
  it.each<[number, MoveStep, PlaceWish | undefined]>([
    [4, 'up', { before: 2 }],
    [2, 'up', undefined],
    [2, 'down', { after: 4 }],
    [5, 'down', undefined],
    [5, 'in', { parentId: 1, position: 'last_child' }],
    [1, 'in', undefined],
    [3, 'out', { after: 2 }],
    [1, 'out', undefined],
  ])('%i %s leads to %j', (id, step, place) => {
    expect(placeOfStep(tree, id, step)).toEqual(place)
  })
})

describe('a drop', () => {
  const row = (id: number) => visibleRows(tree, new Set()).find((one) => one.node.id === id)!

  it('goes before, after or into a row', () => {
    expect(placeOfDrop(tree, 5, row(4), 'before')).toEqual({ before: 4 })
    expect(placeOfDrop(tree, 5, row(4), 'after')).toEqual({ after: 4 })
    expect(placeOfDrop(tree, 5, row(4), 'into')).toEqual({ parentId: 4, position: 'last_child' })
  })

  it('goes to the head of the children below a row that is open', () => {
    expect(placeOfDrop(tree, 5, row(2), 'after')).toEqual({ parentId: 2, position: 'first_child' })
  })

  it('goes nowhere on itself and below itself', () => {
    expect(placeOfDrop(tree, 2, row(2), 'after')).toBeUndefined()
    expect(placeOfDrop(tree, 1, row(3), 'before')).toBeUndefined()
  })
})

describe('a move', () => {
  it.each<[string, number, PlaceWish, number[][]]>([
    [
      'with all below it',
      2,
      { after: 5 },
      [
        [1, 0, 0],
        [4, 1, 1],
        [5, 0, 0],
        [2, 0, 0],
        [3, 2, 1],
      ],
    ],
    [
      'to the front',
      5,
      { before: 2 },
      [
        [1, 0, 0],
        [5, 1, 1],
        [2, 1, 1],
        [3, 2, 2],
        [4, 1, 1],
      ],
    ],
    [
      'after a branch',
      5,
      { after: 2 },
      [
        [1, 0, 0],
        [2, 1, 1],
        [3, 2, 2],
        [5, 1, 1],
        [4, 1, 1],
      ],
    ],
    [
      'into a leaf',
      5,
      { parentId: 3 },
      [
        [1, 0, 0],
        [2, 1, 1],
        [3, 2, 2],
        [5, 3, 3],
        [4, 1, 1],
      ],
    ],
    [
      'to the end of a parent',
      3,
      { parentId: 1 },
      [
        [1, 0, 0],
        [2, 1, 1],
        [4, 1, 1],
        [3, 1, 1],
        [5, 0, 0],
      ],
    ],
    [
      'to the top',
      3,
      { parentId: 0 },
      [
        [1, 0, 0],
        [2, 1, 1],
        [4, 1, 1],
        [5, 0, 0],
        [3, 0, 0],
      ],
    ],
    [
      'to the head of a parent',
      5,
      { parentId: 1, position: 'first_child' },
      [
        [1, 0, 0],
        [5, 1, 1],
        [2, 1, 1],
        [3, 2, 2],
        [4, 1, 1],
      ],
    ],
  ])('is seen at once: %s', (_, id, place, expected) => {
    expect(shape(movedNodes(nodes, id, place))).toEqual(expected)
  })

  it('of what is not there changes nothing', () => {
    expect(movedNodes(nodes, 9, { after: 1 })).toBe(nodes)
    expect(movedNodes(nodes, 5, { after: 9 })).toBe(nodes)
  })
})

it('sums up what is below, and counts what is done', () => {
  const counted = toTree([
    node(1, 0, 0, { cost: 1, status: 'pending' }),
    node(2, 1, 1, { cost: 2, tokens: 10, status: 'completed' }),
    node(3, 2, 2, { cost: 4, tokens: 5, status: 'skipped' }),
    node(4, 1, 1, { status: 'failed' }),
  ])
  expect([...sumsOf(counted)].toSorted()).toEqual([
    [1, { done: 2, total: 3, cost: 7, tokens: 15 }],
    [2, { done: 1, total: 1, cost: 6, tokens: 15 }],
  ])
})

it('finds nodes by status, number and words of name and instruction', () => {
  const one = node(12, 0, 0, { name: 'Brew Tea', instruction: 'in a pot', status: 'failed' })
  expect(matchesNode(one, { words: 'tea pot' })).toBe(true)
  expect(matchesNode(one, { words: '#12' })).toBe(true)
  expect(matchesNode(one, { words: 'coffee' })).toBe(false)
  expect(matchesNode(one, { words: '', status: 'failed' })).toBe(true)
  expect(matchesNode(one, { words: 'tea', status: 'pending' })).toBe(false)
})
