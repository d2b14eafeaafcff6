import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RolledBack } from '../../../src/core/protocol/rollback.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { focusComposer } from '../shell/message-moves.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { toAttachments } from './composer/attachments.ts'
import { putBack } from './composer/unsent.ts'
import { useUnsent } from './composer/use-unsent.ts'
import { RollbackResult } from './rollback-result.tsx'
import { sessionTexts } from './texts.ts'
import type { Undone } from './undone.ts'

interface Props extends Undone {
  sessionId: string
  /** The log is shorter now. */
  onDone(): void
  onClose(): void
}

/** Says what will be undone, does it, and says what became of it. */
export function RollbackDialog(props: Props) {
  const { sessionId, checkpointId, message, messageCount, changes, onDone, onClose } = props
  const t = useTexts(sessionTexts)
  const { cancel } = useTexts(appTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const control = useUnsent(sessionId)
  const announce = useAnnounce()
  const toast = useToast()
  const [keepsFiles, setKeepsFiles] = useState(false)
  const close = () => {
    onClose()
    // the message that the dialog was opened from may be gone
    requestAnimationFrame(focusComposer)
  }
  const rollback = useMutation({
    mutationFn: () => sessions.rollback(sessionId, { scope, checkpointId, restoreFiles: !keepsFiles }),
    onSuccess(result) {
      const words = { text: messageText(message), attachments: toAttachments(message.parts) }
      const { text, attachments } = putBack(control.read(), words)
      control.change({ text, attachments })
      onDone()
      void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) })
      announce(t.rolledBack)
      if (isPlain(result)) {
        toast({ title: t.rolledBack })
        close()
      }
    },
  })
  const result = rollback.data
  if (result && !isPlain(result))
    return (
      <Dialog title={t.rolledBackTitle} onClose={close} actions={<Button onClick={close}>{t.close}</Button>}>
        <RollbackResult result={result} />
      </Dialog>
    )
  return (
    <Dialog
      title={t.rollbackTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button variant="danger" disabled={rollback.isPending} onClick={() => rollback.mutate()}>
            {rollback.isPending ? t.rollbackBusy : t.rollbackConfirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{t.rollbackText(messageCount)}</p>
        <p>{t.rollbackChanges(changes)}</p>
        <label className="flex w-fit items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent)]"
            checked={keepsFiles}
            onChange={({ target }) => setKeepsFiles(target.checked)}
          />
          {t.rollbackKeep}
        </label>
        <p className="text-sm text-muted">
          {t.rollbackRuns} {t.rollbackForever}
        </p>
        {rollback.error && (
          <p role="alert" className="text-sm text-danger">
            {rollback.error.message}
          </p>
        )}
      </div>
    </Dialog>
  )
}

const isPlain = ({ restored, removed, failed }: RolledBack) =>
  restored.length + removed.length + failed.length === 0
