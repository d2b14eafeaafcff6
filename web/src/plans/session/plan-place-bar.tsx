import { ListTodo } from 'lucide-react'
import type { Session } from '../../../../src/client/index.ts'
import { useTexts } from '../../shell/texts.ts'
import { PlanLink } from '../plan-link.tsx'
import { usePlanRun } from '../runs/use-plan-run.ts'
import { sessionPlanTexts } from '../texts.ts'

/** Says of a session that works for a plan which node it does, and leads there. */
export function PlanPlaceBar({ session }: { session: Session }) {
  const t = useTexts(sessionPlanTexts)
  const { data: run } = usePlanRun(session.bgMeta?.sourceId ?? session.toolMeta?.runId)
  if (run?.planId === undefined) return null
  const nodeId = run.steps.find(({ sessionId }) => sessionId === session.id)?.nodeId
  return (
    <section aria-label={t.place} className="border-b border-line bg-surface">
      <p className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-2 px-4 py-1.5 text-sm">
        <ListTodo aria-hidden className="size-4 shrink-0 text-muted" />
        {nodeId === undefined ? t.worksOnPlan : t.worksOnNode(nodeId)}
        <PlanLink planId={run.planId} nodeId={nodeId}>
          {t.openPlan}
        </PlanLink>
      </p>
    </section>
  )
}
