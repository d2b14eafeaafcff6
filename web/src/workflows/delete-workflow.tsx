import { useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDeed } from '../ui/confirm-deed.tsx'
import { useToast } from '../ui/toast.tsx'
import { workflowTexts } from './workflow-texts.ts'

interface Props {
  workflow: { id: string; name: string }
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeleteWorkflow({ workflow, onClose, onDeleted }: Props) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  return (
    <ConfirmDeed
      title={t.deleteTitle(workflow.name)}
      label={t.remove}
      failure={t.notDone}
      deed={() => client.workflows.delete(workflow.id, { scope })}
      onDone={() => {
        onDeleted?.()
        toast({ title: t.deleted, description: workflow.name })
        void queries.invalidateQueries({ queryKey: ['workflows'] })
      }}
      onClose={onClose}
    >
      {t.deleteWords}
    </ConfirmDeed>
  )
}
