import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Lock } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useSessionTitle } from '../api/use-session-title.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { locksTexts } from './texts.ts'

interface Props {
  lock: Lock
  onClose(): void
  onReleased(): void
}

export function ReleaseLock({ lock, onClose, onReleased }: Props) {
  const t = useTexts(locksTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  const session = useSessionTitle(lock.sessionId)
  const title = lock.title || t.untitled
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.locks.release(lock.resourceType, lock.resourceId, { scope }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['locks'] })
      onClose()
      onReleased()
      toast({ title: t.released, description: title })
      announce(t.released)
    },
    onError(error) {
      onClose()
      toast({ title: t.notReleased, description: error.message })
    },
  })
  return (
    <ConfirmDialog
      title={t.releaseTitle(title)}
      label={t.release}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t.releaseText(session)}</p>
    </ConfirmDialog>
  )
}
