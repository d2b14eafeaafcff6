import { useQueryClient } from '@tanstack/react-query'
import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../app/texts.ts'
import { ConfirmDeed } from '../ui/confirm-deed.tsx'
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
  return (
    <ConfirmDeed
      title={t.deleteTitle(cron.name)}
      label={t.remove}
      failure={t.notDone}
      deed={() => client.crons.delete(cron.id, { scope })}
      onDone={() => {
        onDeleted?.()
        toast({ title: t.deleted, description: cron.name })
        void queries.invalidateQueries({ queryKey: ['crons'] })
      }}
      onClose={onClose}
    >
      {t.deleteWords}
    </ConfirmDeed>
  )
}
