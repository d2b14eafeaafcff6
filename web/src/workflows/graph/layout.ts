import { Graph as Dagre, layout as layOut } from '@dagrejs/dagre'
import { gapHeight, headHeight, laneHeight, margin, padding, stepHeight } from './sizes.ts'
import type { Graph, GraphNode } from './to-graph.ts'

export interface Box {
  /** From the corner of the group it is in. */
  x: number
  y: number
  width: number
  height: number
}

const stepSize = { width: 208, height: stepHeight }
const laneSize = { width: 208, height: laneHeight }

/** Where everything goes: the inside of a group first, since it says how large the group is. */
export function layoutGraph(graph: Graph): Map<string, Box> {
  const boxes = new Map<string, Box>()
  place(graph, undefined, boxes)
  return boxes
}

// smaller than this nobody can read it
const leastZoom = 0.65

/** All of it where that can be read, else from its beginning. */
export function viewportFor(
  boxes: ReadonlyMap<string, Box>,
  graph: Graph,
  frame: { width: number; height: number },
): { x: number; y: number; zoom: number } {
  const { width, height } = sizeOf(boxes, graph)
  const fit = Math.min((frame.width - 2 * margin) / width, (frame.height - 2 * margin) / height)
  const zoom = Math.min(1, Math.max(leastZoom, fit))
  return { x: Math.max(margin, (frame.width - width * zoom) / 2), y: margin, zoom }
}

/** How much room the whole of it takes. */
export function sizeOf(boxes: ReadonlyMap<string, Box>, graph: Graph): { width: number; height: number } {
  const outer = graph.nodes.flatMap(({ id, parent }) => (parent === undefined ? boxes.get(id)! : []))
  return {
    width: Math.max(1, ...outer.map((box) => box.x + box.width)),
    height: Math.max(1, ...outer.map((box) => box.y + box.height)),
  }
}

interface Viewport {
  x: number
  y: number
  zoom: number
}

/** The step in the middle; undefined where it is in sight as it is, or is not drawn. */
export function viewportShowing(
  boxes: ReadonlyMap<string, Box>,
  graph: Graph,
  id: string,
  { x, y, zoom }: Viewport,
  frame: { width: number; height: number },
): Viewport | undefined {
  const parents = new Map(graph.nodes.map((node) => [node.id, node.parent]))
  const box = boxes.get(id)
  if (!box) return undefined
  const at = { x: 0, y: 0 }
  for (let part: string | undefined = id; part !== undefined; part = parents.get(part)) {
    at.x += boxes.get(part)!.x
    at.y += boxes.get(part)!.y
  }
  const left = at.x * zoom + x
  const top = at.y * zoom + y
  // of a group its head: the whole may be larger than the frame
  const width = Math.min(box.width, stepSize.width)
  const height = Math.min(box.height, stepSize.height)
  const isInSight =
    left >= 0 && top >= 0 && left + width * zoom <= frame.width && top + height * zoom <= frame.height
  if (isInSight) return undefined
  return {
    x: frame.width / 2 - (at.x + width / 2) * zoom,
    y: frame.height / 2 - (at.y + height / 2) * zoom,
    zoom,
  }
}

function place(graph: Graph, parent: string | undefined, boxes: Map<string, Box>) {
  const inside = graph.nodes.filter((node) => node.parent === parent)
  const dagre = new Dagre()
  dagre.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: gapHeight, marginx: 0, marginy: 0 })
  dagre.setDefaultEdgeLabel(() => ({}))
  for (const node of inside) dagre.setNode(node.id, { ...sizeOfNode(graph, node, boxes) })
  const ids = new Set(inside.map(({ id }) => id))
  for (const { source, target } of graph.edges)
    if (ids.has(source) && ids.has(target)) dagre.setEdge(source, target)
  layOut(dagre)
  const [left, top] = parent === undefined ? [0, 0] : [padding, headHeight]
  for (const { id } of inside) {
    const { x = 0, y = 0, width, height } = dagre.node(id) as Box
    boxes.set(id, { x: x - width / 2 + left, y: y - height / 2 + top, width, height })
  }
  return dagre.graph() as { width?: number; height?: number }
}

function sizeOfNode(graph: Graph, { id, kind }: GraphNode, boxes: Map<string, Box>) {
  if (kind !== 'group') return kind === 'lane' ? laneSize : stepSize
  const { width = 0, height = 0 } = place(graph, id, boxes)
  return { width: width + 2 * padding, height: height + headHeight + padding }
}
