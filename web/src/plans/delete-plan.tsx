import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { planTexts } from './texts.ts'

interface Props {
  plan: { id: string; title: string }
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeletePlan({ plan, ...dialog }: Props) {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  return (
    <ConfirmDelete
      name={plan.title}
      texts={t}
      deed={() => client.plans.delete(plan.id, { scope })}
      queryKey={['plans']}
      {...dialog}
    />
  )
}
