import { useQuery } from '@tanstack/react-query'
import { ParleyError } from '../../../../src/client/index.ts'
import { useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { sessionQuery } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { usePlan } from '../use-plan.ts'
import { BindPlan } from './bind-plan.tsx'
import { DockedPlan } from './docked-plan.tsx'
import { sessionPlanTexts } from '../texts.ts'

/** The plan of the session that is open. */
export function PlanPanel({ sessionId }: { sessionId?: string }) {
  const t = useTexts(sessionPlanTexts)
  const client = useClient()
  const scope = useScope()
  const [isBinding, setBinding] = useState(false)
  const { data: session, error, refetch } = useQuery(sessionQuery(client, sessionId, scope))
  if (sessionId === undefined)
    return (
      <Empty>
        <p className="text-sm">{t.noSession}</p>
      </Empty>
    )
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!session) return <Loading />
  if (session.planId !== undefined) return <Opened key={session.planId} planId={session.planId} />
  return (
    <Empty>
      <p className="text-sm">{t.noPlan}</p>
      <Button size="small" onClick={() => setBinding(true)}>
        {t.bind}
      </Button>
      {isBinding && <BindPlan session={session} onClose={() => setBinding(false)} />}
    </Empty>
  )
}

function Opened({ planId }: { planId: string }) {
  const t = useTexts(sessionPlanTexts)
  const { plan, tree, error, refetch } = usePlan(planId)
  if (error instanceof ParleyError && error.code === 'not_found')
    return (
      <Empty>
        <p className="text-sm">{t.gone}</p>
      </Empty>
    )
  if (plan && tree) return <DockedPlan plan={plan} tree={tree} />
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
}
