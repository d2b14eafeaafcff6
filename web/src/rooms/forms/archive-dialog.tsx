import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { roomFormTexts } from '../texts.ts'

interface Props {
  title: string
  /** Archives it; why is never empty. */
  archive(reason: string): Promise<unknown>
  onDone(): void
  onClose(): void
}

/** Asks for a reason before something is put away. */
export function ArchiveDialog({ title, archive, onDone, onClose }: Props) {
  const t = useTexts(roomFormTexts)
  const [reason, setReason] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => archive(reason.trim()),
    onSuccess() {
      onClose()
      onDone()
    },
  })
  return (
    <Dialog title={t.archiveTitle(title)} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending && reason.trim() !== '') mutate()
        }}
      >
        <Field label={t.reason} hint={t.reasonHint}>
          {(control) => (
            <textarea
              {...control}
              dir="auto"
              rows={2}
              maxLength={1_000}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <FormEnd
          error={error}
          label={t.archive}
          isBusy={isPending || reason.trim() === ''}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
