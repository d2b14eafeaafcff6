import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  workflow: { id: string; name: string }
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeleteWorkflow({ workflow, ...dialog }: Props) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  return (
    <ConfirmDelete
      name={workflow.name}
      texts={t}
      deed={() => client.workflows.delete(workflow.id, { scope })}
      queryKey={['workflows']}
      {...dialog}
    />
  )
}
