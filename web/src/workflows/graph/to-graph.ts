import { lanesOf, type Definition, type LaneCause, type Step } from '../definition.ts'

/** A step, a step that holds others, or the words at the head of one of its lanes. */
export interface GraphNode {
  id: string
  kind: 'step' | 'group' | 'lane'
  /** The group it is in. */
  parent?: string
  /** Of a lane: the step that it belongs to. */
  step: Step
  cause?: LaneCause
}

export interface GraphEdge {
  id: string
  source: string
  target: string
}

export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
}

/** What of a definition is drawn. A group comes before what is in it. */
export function toGraph({ steps }: Pick<Definition, 'steps'>): Graph {
  const graph: Graph = { nodes: [], edges: [] }
  addChain(graph, steps)
  return graph
}

function addChain(graph: Graph, steps: readonly Step[], parent?: string, head?: string): void {
  let before = head
  for (const step of steps) {
    const lanes = lanesOf(step)
    const inside = parent === undefined ? {} : { parent }
    graph.nodes.push({ id: step.id, kind: lanes.length > 0 ? 'group' : 'step', step, ...inside })
    for (const [index, { cause, steps: inner }] of lanes.entries()) {
      const lane = `${step.id}/${index}`
      graph.nodes.push({ id: lane, kind: 'lane', parent: step.id, step, cause })
      addChain(graph, inner, step.id, lane)
    }
    if (before !== undefined)
      graph.edges.push({ id: `${before}>${step.id}`, source: before, target: step.id })
    before = step.id
  }
}
