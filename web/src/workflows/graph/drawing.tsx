import {
  Background,
  Controls,
  ReactFlow,
  type Edge,
  type Node,
  type NodeTypes,
  type ReactFlowProps,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import './flow.css'
import type { Ref } from 'react'

interface Props extends Pick<ReactFlowProps, 'onInit' | 'onMoveStart'> {
  ref: Ref<HTMLDivElement>
  label: string
  nodes: Node[]
  edges: Edge[]
  nodeTypes: NodeTypes
  /** The page around it scrolls, and it lets it. */
  isInPage?: boolean
  /** Somebody wants to see all of it. */
  onFitView?(): void
}

/** A graph to look at: it can be moved and made larger, nothing in it can be dragged or connected. */
export function Drawing({ ref, label, isInPage = false, onFitView, ...flow }: Props) {
  return (
    <ReactFlow
      ref={ref}
      aria-label={label}
      role="group"
      {...flow}
      minZoom={0.1}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnDoubleClick={false}
      zoomOnScroll={false}
      panOnScroll={!isInPage}
      preventScrolling={!isInPage}
      disableKeyboardA11y
      attributionPosition="bottom-left"
    >
      <Background gap={20} />
      <Controls showInteractive={false} position="bottom-right" onFitView={onFitView} />
    </ReactFlow>
  )
}
