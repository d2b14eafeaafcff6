import { Ban, CircleDot, Lock, type LucideIcon } from 'lucide-react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import type { PlanRun, PlanStep } from '../../../src/extensions/plan/protocol/plan-run.ts'
import type { TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import type { TagState } from '../ui/tag.tsx'
import { statusIcons as runIcons, statusStates as runStates } from '../workflows/step-icons.ts'

export type NodeStatus = TreeNode['status']
/** How a node, a run or a step of it stands. */
export type PlanStatus = NodeStatus | PlanRun['status'] | PlanStep['status']

/** As the server knows them; its own list would bring its schemas along. What is done comes first, as in a bar. */
export const nodeStatuses: readonly NodeStatus[] = [
  'completed',
  'skipped',
  'running',
  'partial',
  'refused',
  'failed',
  'blocked',
  'pending',
]

export const statusIcons: Record<PlanStatus, LucideIcon> = {
  ...runIcons,
  partial: CircleDot,
  refused: Ban,
  blocked: Lock,
}
export const statusStates: Record<PlanStatus, TagState> = {
  ...runStates,
  partial: 'degraded',
  refused: 'failed',
  blocked: 'degraded',
}

export const statusColours: Record<PlanStatus, string> = {
  pending: 'text-[var(--run-queued)]',
  running: 'text-[var(--run-running)]',
  paused: 'text-[var(--run-degraded)]',
  completed: 'text-[var(--run-completed)]',
  partial: 'text-[var(--run-degraded)]',
  refused: 'text-[var(--run-failed)]',
  failed: 'text-[var(--run-failed)]',
  timeout: 'text-[var(--run-failed)]',
  skipped: 'text-muted',
  blocked: 'text-[var(--run-degraded)]',
  cancelled: 'text-[var(--run-cancelled)]',
  interrupted: 'text-[var(--run-failed)]',
}

/** Somebody has to look at it, or have it done again. */
export const isUndone = (status: PlanStatus) =>
  status === 'partial' || status === 'refused' || status === 'failed'

const going: ReadonlySet<string> = new Set(['pending', 'running', 'paused'])

export const isRunOver = (status: PlanRun['status']) => !going.has(status)

export type Counts = Plan['counts']

export function countStatuses(nodes: readonly Pick<TreeNode, 'status'>[]): Counts {
  const counts: Counts = {}
  for (const { status } of nodes) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0)

export const doneOf = ({ completed = 0, skipped = 0 }: Counts) => completed + skipped
