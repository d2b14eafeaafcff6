import { useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDeed } from '../ui/confirm-deed.tsx'
import { useToast } from '../ui/toast.tsx'
import { planTexts } from './plan-texts.ts'

interface Props {
  plan: { id: string; title: string }
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeletePlan({ plan, onClose, onDeleted }: Props) {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  return (
    <ConfirmDeed
      title={t.deleteTitle(plan.title)}
      label={t.remove}
      failure={t.notDone}
      deed={() => client.plans.delete(plan.id, { scope })}
      onDone={() => {
        onDeleted?.()
        toast({ title: t.deleted, description: plan.title })
        void queries.invalidateQueries({ queryKey: ['plans'] })
      }}
      onClose={onClose}
    >
      {t.deleteWords}
    </ConfirmDeed>
  )
}
