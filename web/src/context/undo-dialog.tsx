import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { contextTexts } from './texts.ts'

interface Props {
  sessionId: string
  version: number
  onClose(): void
}

/** Asks before the memo goes back to an earlier version. */
export function UndoDialog({ sessionId, version, onClose }: Props) {
  const t = useTexts(contextTexts)
  const app = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.sessions.undoMemo(sessionId, { scope, version }),
    onSuccess() {
      announce(t.undone(version))
      onClose()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) }),
  })
  return (
    <Dialog
      title={t.undoTitle(version)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{app.cancel}</Button>
          <Button variant="primary" disabled={isPending} onClick={() => mutate()}>
            {t.undo}
          </Button>
        </>
      }
    >
      <p>{t.undoText(version)}</p>
      {error && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {error.message}
        </p>
      )}
    </Dialog>
  )
}
