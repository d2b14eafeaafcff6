import { useState } from 'react'
import type { Memory } from '../../../src/client/index.ts'
import { useFieldErrors } from '../api/field-errors.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Field } from '../ui/field.tsx'
import { FormButtons } from '../ui/form-buttons.tsx'
import { OpenedText } from '../ui/opened-text.tsx'
import { memoryTexts } from './texts.ts'
import { useUpdateMemory } from './use-memory-deeds.ts'

interface Props {
  memory: Memory
  onClose(): void
}

/** Its words, in their place. */
export function MemoryEdit({ memory, onClose }: Props) {
  const t = useTexts(memoryTexts)
  const announce = useAnnounce()
  const [text, setText] = useState(memory.text)
  const { mutate, isPending, error } = useUpdateMemory(memory)
  const errors = useFieldErrors(error, ['text'])
  const save = () => {
    if (isPending) return
    if (text.trim() === memory.text) return onClose()
    mutate(text, {
      onSuccess() {
        announce(t.saved)
        onClose()
      },
    })
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Field label={t.editText} error={errors.text ?? errors.form}>
        {(props) => (
          <OpenedText
            {...props}
            rows={Math.min(10, text.split('\n').length + 1)}
            value={text}
            onChange={setText}
            onSubmit={save}
            onClose={onClose}
          />
        )}
      </Field>
      <FormButtons label={t.save} busyLabel={t.saving} isBusy={isPending} onClose={onClose} />
    </form>
  )
}
