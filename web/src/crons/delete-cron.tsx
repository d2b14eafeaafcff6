import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { cronsTexts } from './texts.ts'

interface Props {
  cron: Cron
  onClose(): void
  /** After it is gone. */
  onDeleted?(): void
}

export function DeleteCron({ cron, ...dialog }: Props) {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  return (
    <ConfirmDelete
      name={cron.name}
      texts={t}
      deed={() => client.crons.delete(cron.id, { scope })}
      queryKey={['crons']}
      {...dialog}
    />
  )
}
