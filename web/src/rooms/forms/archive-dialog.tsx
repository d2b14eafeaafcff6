import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
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
    <FormDialog
      title={t.archiveTitle(title)}
      label={t.archive}
      isDisabled={isPending || reason.trim() === ''}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
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
    </FormDialog>
  )
}
