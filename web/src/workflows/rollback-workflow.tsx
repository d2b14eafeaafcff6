import { useQueryClient } from '@tanstack/react-query'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDeed } from '../ui/confirm-deed.tsx'
import { useToast } from '../ui/toast.tsx'
import { workflowTexts } from './texts.ts'

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
  return (
    <ConfirmDeed
      title={t.rollbackTitle(version)}
      label={t.rollbackConfirm}
      failure={t.notDone}
      deed={() => client.workflows.rollback(workflow.id, { scope, version })}
      onDone={(saved) => {
        queries.setQueryData(workflowKeys.workflow(workflow.id), saved)
        toast({ title: t.rolledBack(version) })
        void queries.invalidateQueries({ queryKey: ['workflows'] })
      }}
      onClose={onClose}
    >
      {t.rollbackWords}
    </ConfirmDeed>
  )
}
