import { MarkerType, ReactFlowProvider, useReactFlow, type Edge, type Node } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isCalm } from '../../ui/is-calm.ts'
import { Drawing } from '../../workflows/graph/drawing.tsx'
import { layoutGraph, viewportFor, viewportShowing } from './layout.ts'
import { nodeTypes, type NodeFacts } from './node-box.tsx'
import type { PlanGraph } from './to-graph.ts'

export interface PlanFlowProps {
  label: string
  graph: PlanGraph
  selected?: number
  onSelect(id: number, isOpened: boolean): void
  /** Draws what is below a node alone. */
  onOpen(id: number): void
}

export function PlanFlow(props: PlanFlowProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

const arrow = { type: MarkerType.ArrowClosed, color: 'var(--accent)', width: 16, height: 16 }
const looks = {
  part: { type: 'default', style: { stroke: 'var(--muted)', strokeOpacity: 0.55 } },
  wait: {
    type: 'default',
    style: { stroke: 'var(--accent)', strokeDasharray: '5 4' },
    markerEnd: arrow,
    zIndex: 1,
  },
} as const

function Canvas({ label, graph, selected, onSelect, onOpen }: PlanFlowProps) {
  const { setViewport, getViewport } = useReactFlow()
  const frame = useRef<HTMLDivElement>(null)
  const [isReady, setReady] = useState(false)
  // how nodes stand changes often, where they are does not
  const shape = graph.edges.map(({ id }) => id).join(' ') + graph.nodes.map(({ node }) => node.id).join(' ')
  // oxlint-disable-next-line react/exhaustive-deps -- the shape says it all
  const boxes = useMemo(() => layoutGraph(graph), [shape])
  const nodes = useMemo(
    () =>
      graph.nodes.map(({ node, hidden }): Node<NodeFacts> => {
        const { x, y, width, height } = boxes.get(String(node.id))!
        return {
          id: String(node.id),
          type: 'plan-node',
          position: { x, y },
          width,
          height,
          data: { node, hidden, isSelected: node.id === selected, onSelect, onOpen },
        }
      }),
    [graph, boxes, selected, onSelect, onOpen],
  )
  const edges = useMemo(
    () => graph.edges.map(({ kind, ...edge }): Edge => ({ ...edge, ...looks[kind], data: { kind } })),
    [graph],
  )
  const sizeOfFrame = () => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = frame.current ?? {}
    return { width, height }
  }
  const showBeginning = () => void setViewport(viewportFor(boxes, sizeOfFrame()))
  useEffect(() => {
    if (isReady) showBeginning()
    // oxlint-disable-next-line react/exhaustive-deps -- another shape is looked at from its beginning, the same one stays where it is
  }, [boxes, isReady])
  useEffect(() => {
    const box = selected === undefined ? undefined : boxes.get(String(selected))
    const next = isReady && box && viewportShowing(box, getViewport(), sizeOfFrame())
    if (next) void setViewport(next, { duration: isCalm() ? 0 : 300 })
    // oxlint-disable-next-line react/exhaustive-deps -- when somebody goes to another node
  }, [isReady, selected])
  return (
    <Drawing
      ref={frame}
      label={label}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      onInit={() => setReady(true)}
    />
  )
}
