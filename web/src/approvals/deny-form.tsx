import { useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { FormButtons } from '../ui/form-buttons.tsx'
import { OpenedText } from '../ui/opened-text.tsx'
import { approvalsTexts } from './texts.ts'

interface Props {
  isBusy: boolean
  onDeny(message: string | undefined): void
  onClose(): void
}

// what the server takes
const maxWords = 2_000

export function DenyForm({ isBusy, onDeny, onClose }: Props) {
  const t = useTexts(approvalsTexts)
  const [words, setWords] = useState('')
  const deny = () => {
    if (!isBusy) onDeny(words.trim() || undefined)
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        deny()
      }}
    >
      <Field label={t.denyWords} hint={t.denyHint}>
        {(props) => (
          <OpenedText
            {...props}
            maxLength={maxWords}
            value={words}
            onChange={setWords}
            onSubmit={deny}
            onClose={onClose}
          />
        )}
      </Field>
      <FormButtons
        label={t.denyConfirm}
        busyLabel={t.sending}
        isBusy={isBusy}
        variant="danger"
        onClose={onClose}
      />
    </form>
  )
}
