import { Handle, Position, type Node, type NodeProps } from '@xyflow/react'
import { clsx } from 'clsx'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { nodeTexts } from '../texts.ts'
import { StatusMark } from '../status-mark.tsx'
import type { NodeStatus } from '../status.ts'

export interface NodeFacts extends Record<string, unknown> {
  node: TreeNode
  hidden: number
  isSelected: boolean
  onSelect(id: number, isOpened: boolean): void
  onOpen(id: number): void
}

const borders: Record<NodeStatus, string> = {
  pending: 'border-line',
  running: 'border-[var(--run-running)]',
  completed: 'border-[var(--run-completed)]',
  partial: 'border-warning',
  refused: 'border-danger',
  failed: 'border-danger',
  skipped: 'border-dashed border-muted',
  blocked: 'border-dashed border-warning',
}

function NodeBox({ data: { node, hidden, isSelected, onSelect, onOpen } }: NodeProps<Node<NodeFacts>>) {
  const t = useTexts(nodeTexts)
  return (
    <div
      data-graph-node={node.id}
      data-status={node.status}
      className={clsx(
        'flex size-full items-center rounded-lg border-2 bg-raised',
        borders[node.status],
        isSelected && 'ring-2 ring-accent ring-offset-1 ring-offset-page',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        title={node.name}
        aria-current={isSelected || undefined}
        onClick={() => onSelect(node.id, false)}
        className="nodrag nopan pointer-events-auto flex h-full min-w-0 flex-1 items-center gap-1.5 rounded-lg px-2 text-start text-sm"
      >
        <StatusMark status={node.status} />
        <bdi className="min-w-0 flex-1 truncate">{node.name}</bdi>
      </button>
      {hidden > 0 && (
        <button
          type="button"
          aria-label={t.drawBelow(hidden, node.name)}
          title={t.drawBelow(hidden, node.name)}
          onClick={() => onOpen(node.id)}
          className="nodrag nopan pointer-events-auto me-1 min-h-6 min-w-6 shrink-0 rounded bg-hover px-1 text-xs text-text hover:bg-selected"
        >
          +{hidden}
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}

export const nodeTypes = { 'plan-node': NodeBox }
