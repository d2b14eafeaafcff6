import { Graph as Dagre, layout as layOut } from '@dagrejs/dagre'
import type { PlanGraph } from './to-graph.ts'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface Viewport {
  x: number
  y: number
  zoom: number
}

type Frame = Pick<Box, 'width' | 'height'>

const size = { width: 208, height: 44 }
const margin = 20
// smaller than this nobody can read it
const leastZoom = 0.8

/** Where every node goes: from left to right, what waits after what it waits for. */
export function layoutGraph({ nodes, edges }: PlanGraph): Map<string, Box> {
  const dagre = new Dagre()
  dagre.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 48, marginx: 0, marginy: 0 })
  dagre.setDefaultEdgeLabel(() => ({}))
  for (const { node } of nodes) dagre.setNode(String(node.id), { ...size })
  for (const { source, target } of edges) dagre.setEdge(source, target)
  // a tree alone has nothing that crosses, and stays in the order of the plan
  layOut(dagre, { disableOptimalOrderHeuristic: edges.every(({ kind }) => kind === 'part') })
  return new Map(
    nodes.map(({ node }) => {
      const { x = 0, y = 0 } = dagre.node(String(node.id)) as Partial<Box>
      return [String(node.id), { x: x - size.width / 2, y: y - size.height / 2, ...size }]
    }),
  )
}

/** All of it where that can be read, else from its beginning. */
export function viewportFor(boxes: ReadonlyMap<string, Box>, frame: Frame): Viewport {
  const all = [...boxes.values()]
  const width = Math.max(1, ...all.map((box) => box.x + box.width))
  const height = Math.max(1, ...all.map((box) => box.y + box.height))
  const fit = Math.min((frame.width - 2 * margin) / width, (frame.height - 2 * margin) / height)
  const zoom = Math.min(1, Math.max(leastZoom, fit))
  return { x: margin, y: Math.max(margin, (frame.height - height * zoom) / 2), zoom }
}

/** With the node in the middle; undefined where it is in sight as it is. */
export function viewportShowing(box: Box, { x, y, zoom }: Viewport, frame: Frame): Viewport | undefined {
  const left = box.x * zoom + x
  const top = box.y * zoom + y
  const isInSight =
    left >= 0 && top >= 0 && left + box.width * zoom <= frame.width && top + box.height * zoom <= frame.height
  if (isInSight) return undefined
  return {
    x: frame.width / 2 - (box.x + box.width / 2) * zoom,
    y: frame.height / 2 - (box.y + box.height / 2) * zoom,
    zoom,
  }
}
