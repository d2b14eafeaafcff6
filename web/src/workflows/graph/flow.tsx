import { MarkerType, ReactFlowProvider, useReactFlow, type Edge, type Node } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isCalm } from '../../ui/is-calm.ts'
import type { Definition } from '../definition.ts'
import type { Standing } from '../runs/overlay.ts'
import { Drawing } from './drawing.tsx'
import { layoutGraph, viewportFor, viewportShowing } from './layout.ts'
import { nodeTypes, type NodeFacts } from './nodes.tsx'
import { toGraph } from './to-graph.ts'

const arrow = { type: MarkerType.ArrowClosed, color: 'var(--muted)', width: 16, height: 16 }

export interface FlowProps {
  label: string
  definition: Definition
  /** The step that the editor or the table is at. */
  selected?: string
  /** How the steps stand in a run. */
  standings?: ReadonlyMap<string, Standing>
  /** The step that a run is at: kept in sight, until somebody moves the drawing; to see all of it begins anew. */
  active?: string
  /** The page around it scrolls, and it lets it. */
  isInPage?: boolean
  onPick?(id: string): void
}

export function Flow(props: FlowProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ label, definition, selected, standings, active, isInPage = false, onPick }: FlowProps) {
  const { setViewport, getViewport } = useReactFlow()
  const frame = useRef<HTMLDivElement>(null)
  const graph = useMemo(() => toGraph(definition), [definition])
  const boxes = useMemo(() => layoutGraph(graph), [graph])
  const nodes = useMemo(
    () =>
      graph.nodes.map(({ id, kind, parent, step, cause }): Node<NodeFacts> => {
        const { x, y, width, height } = boxes.get(id)!
        return {
          id,
          type: `${kind}-node`,
          position: { x, y },
          width,
          height,
          ...(parent !== undefined && { parentId: parent }),
          data: { step, cause, standing: standings?.get(step.id), isSelected: id === selected, onPick },
        }
      }),
    [graph, boxes, standings, selected, onPick],
  )
  const edges = useMemo(
    () => graph.edges.map((edge): Edge => ({ ...edge, type: 'straight', markerEnd: arrow })),
    [graph],
  )
  const drawn = graph.nodes.map(({ id }) => id).join(' ')
  const showBeginning = () => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {}
    void setViewport(viewportFor(boxes, graph, { width: clientWidth, height: clientHeight }))
  }
  useEffect(() => {
    showBeginning()
    // oxlint-disable-next-line react/exhaustive-deps -- another shape is looked at from its beginning, the same one stays where it is
  }, [drawn, setViewport])
  const isMoved = useRef(false)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    isMoved.current = false
  }, [drawn])
  const bringIntoSight = (id: string) => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = frame.current ?? {}
    const next = viewportShowing(boxes, graph, id, getViewport(), { width, height })
    if (next) void setViewport(next, { duration: isCalm() ? 0 : 300 })
  }
  useEffect(() => {
    if (isReady && active !== undefined && !isMoved.current) bringIntoSight(active)
    // oxlint-disable-next-line react/exhaustive-deps -- when the run goes on, not when a step of it is said again
  }, [isReady, active, drawn])
  useEffect(() => {
    if (isReady && selected !== undefined) bringIntoSight(selected)
    // oxlint-disable-next-line react/exhaustive-deps -- when somebody goes to another step
  }, [isReady, selected])
  return (
    <Drawing
      ref={frame}
      label={label}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      isInPage={isInPage}
      onInit={() => {
        showBeginning()
        setReady(true)
      }}
      // moved by a script there is no event
      onMoveStart={(event) => {
        if (event) isMoved.current = true
      }}
      onFitView={() => {
        isMoved.current = false
      }}
    />
  )
}
