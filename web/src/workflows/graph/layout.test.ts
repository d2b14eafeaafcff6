import { expect, it } from 'vitest'
import { heightOf } from './height-of.ts'
import { layoutGraph, sizeOf, viewportFor, viewportShowing } from './layout.ts'
import { toGraph } from './to-graph.ts'

const steps = Array.from({ length: 12 }, (_, index) => ({ id: `s${index}`, type: 'agent' as const }))
const graph = toGraph({
  steps: [...steps, { id: 'each', type: 'foreach', steps: [{ id: 'in', type: 'agent' }] }],
})
const boxes = layoutGraph(graph)
const frame = { width: 400, height: 300 }
const beginning = viewportFor(boxes, graph, frame)

it('leaves what is in sight where it is', () => {
  expect(viewportShowing(boxes, graph, 's0', beginning, frame)).toBeUndefined()
  expect(viewportShowing(boxes, graph, 'not there', beginning, frame)).toBeUndefined()
})

it('brings a step into the middle, also one that is in another', () => {
  const { height } = sizeOf(boxes, graph)
  for (const id of ['s9', 'in', 'each']) {
    const viewport = viewportShowing(boxes, graph, id, beginning, frame)!
    expect(viewport.zoom).toBe(beginning.zoom)
    expect(viewport.y).toBeLessThan(beginning.y)
    expect(viewport.y).toBeGreaterThan(-height)
    expect(viewportShowing(boxes, graph, id, viewport, frame)).toBeUndefined()
  }
})

it('is as high as was said before it was laid out', () => {
  const all = graph.nodes.filter(({ parent, kind }) => parent === undefined && kind !== 'lane')
  expect(heightOf(all.map(({ step }) => step))).toBe(sizeOf(boxes, graph).height)
})
