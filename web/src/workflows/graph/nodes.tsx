import { Handle, Position, type Node, type NodeProps } from '@xyflow/react'
import { clsx } from 'clsx'
import { Filter } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import type { LaneCause, Step } from '../definition.ts'
import { useLaneWords } from '../lane-words.ts'
import type { Standing } from '../runs/overlay.ts'
import { runTexts, workflowTexts } from '../texts.ts'
import { statusIcons, statusStates, StepIcon, typeNameOf } from '../step-icons.ts'

export interface NodeFacts extends Record<string, unknown> {
  step: Step
  cause?: LaneCause
  standing?: Standing
  isSelected: boolean
  onPick?(id: string): void
}

type Props = NodeProps<Node<NodeFacts>>

const Ends = () => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} />
    <Handle type="source" position={Position.Bottom} isConnectable={false} />
  </>
)

const frames = (isSelected: boolean, standing?: Standing) =>
  clsx(
    'size-full rounded-lg border bg-raised',
    isSelected && 'ring-2 ring-accent',
    (standing && borders[standing.status]) ?? (isSelected ? 'border-accent' : 'border-line'),
  )

const borders: Partial<Record<Standing['status'], string>> = {
  running: 'border-[var(--run-running)]',
  paused: 'border-warning',
  failed: 'border-danger',
  timeout: 'border-danger',
  skipped: 'border-dashed border-muted',
}

function StepNode({ data: { step, standing, isSelected, onPick } }: Props) {
  return (
    <div className={frames(isSelected, standing)} data-step={step.id} data-status={standing?.status}>
      <Ends />
      <StepButton step={step} standing={standing} onPick={onPick}>
        <span className="w-full truncate text-xs text-muted">
          <bdi>{step.type === 'workflow' ? step.workflow : step.description}</bdi>
        </span>
      </StepButton>
    </div>
  )
}

function GroupNode({ data: { step, standing, isSelected, onPick } }: Props) {
  return (
    <div
      className={clsx(frames(isSelected, standing), 'bg-page/60')}
      data-step={step.id}
      data-status={standing?.status}
    >
      <Ends />
      <StepButton step={step} standing={standing} onPick={onPick} className="h-8" />
    </div>
  )
}

interface ButtonProps extends Pick<NodeFacts, 'step' | 'standing' | 'onPick'> {
  className?: string
  children?: React.ReactNode
}

function StepButton({ step, standing, onPick, className = 'h-full', children }: ButtonProps) {
  const t = useTexts(workflowTexts)
  const hasCondition = step.condition !== undefined
  const { rounds = 0, times = 0, failures = 0 } = standing ?? {}
  const count = rounds > 0 ? t.rounds(rounds) : times > 1 ? t.times(times) : undefined
  return (
    <button
      type="button"
      title={hasCondition ? t.only(String(step.condition)) : step.description}
      onClick={() => onPick?.(step.id)}
      className={clsx(
        'nodrag nopan pointer-events-auto flex w-full flex-col justify-center rounded-lg px-2.5 text-start',
        className,
      )}
    >
      <span className="flex w-full items-center gap-1.5 text-sm">
        <StepIcon type={step.type} aria-hidden className="size-4 shrink-0 text-muted" />
        <bdi className="min-w-0 flex-1 truncate font-medium">{step.id}</bdi>
        <span className="sr-only">, {typeNameOf(t.types, step.type)}</span>
        {hasCondition && (
          <>
            <Filter aria-hidden className="size-3.5 shrink-0 text-warning" />
            <span className="sr-only">, {t.only(String(step.condition))}</span>
          </>
        )}
        {failures > 0 && times > 1 && (
          <span className="shrink-0 text-xs text-danger">{t.failures(failures)}</span>
        )}
        {count !== undefined && <span className="shrink-0 text-xs text-muted">{count}</span>}
        {standing && <StatusMark status={standing.status} />}
      </span>
      {children}
    </button>
  )
}

const colours = {
  queued: 'text-[var(--run-queued)]',
  running: 'text-[var(--run-running)]',
  completed: 'text-[var(--run-completed)]',
  failed: 'text-[var(--run-failed)]',
  cancelled: 'text-[var(--run-cancelled)]',
  degraded: 'text-[var(--run-degraded)]',
  plain: 'text-muted',
}

function StatusMark({ status }: Pick<Standing, 'status'>) {
  const t = useTexts(runTexts)
  const Icon = statusIcons[status]
  return (
    <>
      <Icon
        aria-hidden
        className={clsx(
          'size-4 shrink-0',
          colours[statusStates[status]],
          status === 'running' && 'animate-spin',
        )}
      />
      <span className="sr-only">, {t.statuses[status]}</span>
    </>
  )
}

function LaneNode({ data: { cause } }: Props) {
  const toWords = useLaneWords()
  const words = cause ? toWords(cause) : ''
  return (
    <div
      title={words}
      className="flex size-full items-center justify-center rounded-full bg-hover px-2 text-xs text-text"
    >
      <bdi className="truncate">{words}</bdi>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

/** By the kind of a node; `group` itself has a look of its own in the library. */
export const nodeTypes = { 'step-node': StepNode, 'group-node': GroupNode, 'lane-node': LaneNode }
