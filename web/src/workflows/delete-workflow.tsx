import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
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
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.workflows.delete(workflow.id, { scope }),
    onSuccess() {
      onClose()
      onDeleted?.()
      toast({ title: t.deleted, description: workflow.name })
      void queries.invalidateQueries({ queryKey: ['workflows'] })
    },
    onError: (error) => toast({ title: t.notDone, description: error.message }),
  })
  return (
    <ConfirmDialog
      title={t.deleteTitle(workflow.name)}
      label={t.remove}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.deleteWords}
    </ConfirmDialog>
  )
}
