import { useMutation } from '@tanstack/react-query'
import { ListTodo, RotateCw } from 'lucide-react'
import { memo, useState } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import type { PlanTurn } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { PlanLink } from '../plan-link.tsx'
import { planRunTexts, sessionPlanTexts } from '../texts.ts'
import { StopButton } from '../runs/stop-button.tsx'
import { usePlanRun } from '../runs/use-plan-run.ts'
import { StatusTag } from '../status-mark.tsx'
import { isRunOver } from '../status.ts'
import { ActionLine } from './action-line.tsx'
import { Suggestions } from './suggestions.tsx'
import { actionsOf } from './turn-actions.ts'

/** What is done because of an answer: each action with how it stands, and what one could say next. */
export const PlanPart = memo(function PlanPart({ part }: { part: Part }) {
  const turn = part.data as PlanTurn
  const t = useTexts(sessionPlanTexts)
  const { notDone } = useTexts(planRunTexts)
  const client = useClient()
  const scope = useScope()
  const [retriedId, setRetried] = useState<string>()
  const runId = retriedId ?? turn.runId
  const isFollowed = retriedId !== undefined || (turn.status !== 'none' && !isRunOver(turn.status))
  const { data: run } = usePlanRun(isFollowed ? runId : undefined)
  const status = run?.status ?? turn.status
  const actions = actionsOf(turn, run)
  const retry = useMutation({
    mutationFn: (id: string) => client.plans.retryRun(id, { scope }),
    onSuccess: ({ id }) => setRetried(id),
  })
  const planId = run?.planId ?? turn.planId
  const mayRetry = runId !== undefined && status !== 'none' && isRunOver(status) && status !== 'completed'
  return (
    <>
      {actions.length > 0 && (
        <section
          aria-label={t.actions}
          data-plan-status={status}
          className="my-2 overflow-hidden rounded-lg border border-line bg-surface text-sm"
        >
          <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1">
            <ListTodo aria-hidden className="size-4 text-muted" />
            <span className="text-muted">{t.actions}</span>
            {status !== 'none' && <StatusTag status={status} />}
            <span className="flex-1" />
            {planId !== undefined && <PlanLink planId={planId}>{t.openPlan}</PlanLink>}
            {runId !== undefined && status !== 'none' && !isRunOver(status) && <StopButton runId={runId} />}
            {mayRetry && (
              <Button size="small" disabled={retry.isPending} onClick={() => retry.mutate(runId)}>
                <RotateCw aria-hidden />
                {t.retry}
              </Button>
            )}
          </div>
          <ol className="divide-y divide-line">
            {actions.map((action) => (
              <ActionLine key={action.number} action={action} />
            ))}
          </ol>
          {(run?.error ?? retry.error?.message) && (
            <p role="alert" className="border-t border-line px-3 py-1.5 wrap-anywhere text-danger">
              <bdi>{retry.error ? `${notDone}: ${retry.error.message}` : run?.error}</bdi>
            </p>
          )}
        </section>
      )}
      {/* what is being done may change what makes sense to say */}
      {(status === 'none' || isRunOver(status)) && <Suggestions texts={turn.suggestions} />}
    </>
  )
})
