import { describe, expect, it } from 'vitest'
import type { Step } from '../definition.ts'
import { layoutGraph, viewportFor } from './layout.ts'
import { toGraph } from './to-graph.ts'

const agent = (id: string): Step => ({ id, type: 'agent' })
const steps: Step[] = [
  agent('plan'),
  { id: 'both', type: 'parallel', branches: { a: [agent('one'), agent('two')], b: [agent('three')] } },
  {
    id: 'choose',
    type: 'branch',
    cases: [{ when: '$plan.approved', steps: [agent('yes')] }],
    else: [{ id: 'each', type: 'foreach', items: '$plan.data', as: 'part', steps: [agent('no')] }],
  },
  { id: 'polish', type: 'loop', until: true, maxIterations: 3, steps: [agent('write')] },
]
const { nodes, edges } = toGraph({ steps })
const nodeOf = (id: string) => nodes.find((node) => node.id === id)!

describe('the graph of a definition', () => {
  it('has a node for every step, and a group for each that holds others', () => {
    const kinds = nodes.filter(({ kind }) => kind !== 'lane').map(({ id, kind }) => `${id}:${kind}`)
    expect(kinds).toEqual([
      'plan:step',
      'both:group',
      'one:step',
      'two:step',
      'three:step',
      'choose:group',
      'yes:step',
      'each:group',
      'no:step',
      'polish:group',
      'write:step',
    ])
    expect(nodeOf('no').parent).toBe('each')
    expect(nodeOf('each').parent).toBe('choose')
  })

  it('leads from step to step, and into each lane from its head', () => {
    expect(edges.map(({ id }) => id)).toEqual([
      'both/0>one',
      'one>two',
      'both/1>three',
      'plan>both',
      'choose/0>yes',
      'each/0>no',
      'choose/1>each',
      'both>choose',
      'polish/0>write',
      'choose>polish',
    ])
  })

  it('says at the head of a lane why its steps are run', () => {
    expect(nodes.filter(({ kind }) => kind === 'lane').map(({ cause }) => cause)).toEqual([
      { kind: 'branch', name: 'a' },
      { kind: 'branch', name: 'b' },
      { kind: 'case', when: '$plan.approved' },
      { kind: 'else' },
      { kind: 'each', name: 'part', items: '$plan.data' },
      { kind: 'until', until: 'true', most: 3 },
    ])
  })
})

describe('its layout', () => {
  const boxes = layoutGraph({ nodes, edges })
  const boxOf = (id: string) => boxes.get(id)!

  it('puts steps below each other, and lanes beside each other', () => {
    expect(boxOf('both').y).toBeGreaterThanOrEqual(boxOf('plan').y + boxOf('plan').height)
    expect(boxOf('two').y).toBeGreaterThan(boxOf('one').y)
    expect(Math.abs(boxOf('three').x - boxOf('one').x)).toBeGreaterThanOrEqual(boxOf('one').width)
  })

  it('keeps what is in a group inside of it', () => {
    for (const { id, parent } of nodes) {
      if (parent === undefined) continue
      const [box, around] = [boxOf(id), boxOf(parent)]
      expect(box.x, id).toBeGreaterThanOrEqual(0)
      expect(box.y, id).toBeGreaterThan(0)
      expect(box.x + box.width, id).toBeLessThanOrEqual(around.width)
      expect(box.y + box.height, id).toBeLessThanOrEqual(around.height)
    }
  })

  it('is seen whole where it can be read, and else from its beginning', () => {
    const small = toGraph({ steps: [agent('one')] })
    const whole = viewportFor(layoutGraph(small), small, { width: 600, height: 400 })
    expect(whole).toMatchObject({ zoom: 1, y: 20 })
    expect(whole.x).toBeGreaterThan(100)
    const part = viewportFor(boxes, { nodes, edges }, { width: 300, height: 200 })
    expect(part).toEqual({ x: 20, y: 20, zoom: 0.65 })
  })
})
