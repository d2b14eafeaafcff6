import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Workflow } from '../../../src/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { workflowTexts } from './workflow-texts.ts'

interface Props {
  workflow: Workflow
  version: number
  onClose(): void
}

export function RollbackWorkflow({ workflow, version, onClose }: Props) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.workflows.rollback(workflow.id, { scope, version }),
    onSuccess(saved) {
      onClose()
      queries.setQueryData(keys.workflow(workflow.id), saved)
      toast({ title: t.rolledBack(version) })
      void queries.invalidateQueries({ queryKey: ['workflows'] })
    },
    onError: (error) => toast({ title: t.notDone, description: error.message }),
  })
  return (
    <ConfirmDialog
      title={t.rollbackTitle(version)}
      label={t.rollbackConfirm}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.rollbackWords}
    </ConfirmDialog>
  )
}
