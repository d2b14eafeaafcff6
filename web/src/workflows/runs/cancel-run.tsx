import { useQueryClient } from '@tanstack/react-query'
import { useClient } from '../../api/api.tsx'
import { workflowKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { ConfirmDeed } from '../../ui/confirm-deed.tsx'
import { useToast } from '../../ui/toast.tsx'
import { runTexts } from '../texts.ts'

export function CancelRun({ runId, onClose }: { runId: string; onClose(): void }) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  return (
    <ConfirmDeed
      title={t.cancelTitle}
      label={t.cancel}
      failure={t.notDone}
      deed={() => client.workflows.cancel(runId, { scope })}
      onDone={(run) => {
        queries.setQueryData(workflowKeys.run(runId), run)
        toast({ title: t.cancelled })
      }}
      onClose={onClose}
    >
      {t.cancelWords}
    </ConfirmDeed>
  )
}
