import { useParams } from '@tanstack/react-router'
import { ParleyError } from '../../../src/client/index.ts'
import { DeadEnd } from '../shell/not-found.tsx'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { planTexts } from './texts.ts'
import { PlanView } from './plan-view.tsx'
import { usePlan } from './use-plan.ts'

export function Page() {
  const { planId } = useParams({ strict: false })
  return planId === undefined ? null : <Opened key={planId} id={planId} />
}

function Opened({ id }: { id: string }) {
  const t = useTexts(planTexts)
  const { plan, tree, error, refetch } = usePlan(id)
  if (error instanceof ParleyError && error.code === 'not_found')
    return <DeadEnd title={t.missing} text={t.missingText} />
  if (plan && tree) return <PlanView plan={plan} tree={tree} />
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
}
