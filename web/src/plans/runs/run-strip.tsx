import { ChevronRight, X } from 'lucide-react'
import { useState } from 'react'
import type { Plan } from '../../../../src/extensions/plan/protocol/plan.ts'
import { appTexts } from '../../shell/shell-texts.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { Elapsed } from '../../ui/elapsed.tsx'
import { StatusTag } from '../status-mark.tsx'
import { isRunOver, isUndone } from '../status.ts'
import { RunReport } from './run-report.tsx'
import { RunSteps } from './run-steps.tsx'
import { planRunTexts } from '../texts.ts'
import { usePlanRun } from './use-plan-run.ts'

interface Props {
  plan: Plan
  onGoTo(nodeId: number): void
}

/** The run that works on the plan now; one that ended while somebody looked stays until it is closed. */
export function RunStrip({ plan, onGoTo }: Props) {
  const t = useTexts(planRunTexts)
  const { close } = useTexts(appTexts)
  const { count } = useFormats()
  const [runId, setRunId] = useState(plan.activeRunId)
  const [isOpen, setOpen] = useState(false)
  if (plan.activeRunId !== undefined && plan.activeRunId !== runId) setRunId(plan.activeRunId)
  const { data: run } = usePlanRun(runId)
  if (!run) return null
  const done = run.steps.filter(({ status }) => status === 'completed' || status === 'skipped').length
  const failed = run.steps.filter(({ status }) => isUndone(status)).length
  return (
    <section
      aria-label={t.label}
      data-run={run.id}
      className="flex shrink-0 flex-col border-b border-line bg-surface text-sm"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
        <Button
          size="small"
          variant="ghost"
          className="px-1!"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={isOpen ? 'rotate-90' : ''} />
          {t.types[run.type]}
        </Button>
        <StatusTag status={run.status} />
        <Elapsed startedAt={run.startedAt} finishedAt={run.finishedAt} />
        {run.steps.length > 0 && (
          <span className="text-muted tabular-nums">{t.stepsDone(done, run.steps.length)}</span>
        )}
        {run.budget?.tokens !== undefined && (
          <span className="text-muted tabular-nums">
            {t.used(count(run.budget.usedTokens), count(run.budget.tokens))}
          </span>
        )}
        {failed > 0 && <span className="text-danger">{t.stepsFailed(failed)}</span>}
        <span className="flex-1" />
        {isRunOver(run.status) && (
          <IconButton size="small" label={close} onClick={() => setRunId(undefined)}>
            <X />
          </IconButton>
        )}
      </div>
      {run.error && (
        <p role="alert" className="px-4 pb-2 wrap-anywhere text-danger">
          <bdi>{run.error}</bdi>
        </p>
      )}
      {isOpen && <RunReport run={run} />}
      {isOpen && <RunSteps run={run} onGoTo={onGoTo} className="max-h-64 border-t border-line" />}
    </section>
  )
}
