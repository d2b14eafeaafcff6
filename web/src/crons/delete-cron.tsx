import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { cronsTexts } from './crons-texts.ts'

interface Props {
  cron: Cron
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeleteCron({ cron, onClose, onDeleted }: Props) {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.crons.delete(cron.id, { scope }),
    onSuccess() {
      onClose()
      onDeleted?.()
      toast({ title: t.deleted, description: cron.name })
      void queries.invalidateQueries({ queryKey: ['crons'] })
    },
    onError: (error) => toast({ title: t.notDone, description: error.message }),
  })
  return (
    <ConfirmDialog
      title={t.deleteTitle(cron.name)}
      label={t.remove}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.deleteWords}
    </ConfirmDialog>
  )
}
