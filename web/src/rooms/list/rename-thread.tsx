import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Thread } from '../../../../src/core/protocol/thread.ts'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { roomListTexts } from '../texts.ts'

export function RenameThread({ thread, onClose }: { thread: Thread; onClose(): void }) {
  const t = useTexts(roomListTexts)
  const { threads } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const [title, setTitle] = useState(thread.title)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => threads.update(thread.slug, { scope, title: title.trim() }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['threads'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t.rename}
      label={t.save}
      isDisabled={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <Field label={t.threadTitle}>
        {(control) => (
          <input {...control} dir="auto" value={title} onChange={({ target }) => setTitle(target.value)} />
        )}
      </Field>
    </FormDialog>
  )
}
