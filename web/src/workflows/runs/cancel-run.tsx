import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../../api/api.tsx'
import { keys } from '../../api/keys.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../app/texts.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { runTexts } from './run-texts.ts'

export function CancelRun({ runId, onClose }: { runId: string; onClose(): void }) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.workflows.cancel(runId, { scope }),
    onSuccess(run) {
      queries.setQueryData(keys.workflowRun(runId), run)
      toast({ title: t.cancelled })
    },
    onError: (error) => toast({ title: t.notDone, description: error.message }),
    onSettled: onClose,
  })
  return (
    <ConfirmDialog
      title={t.cancelTitle}
      label={t.cancel}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.cancelWords}
    </ConfirmDialog>
  )
}
