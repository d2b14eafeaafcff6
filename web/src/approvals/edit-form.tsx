import { useState } from 'react'
import { escapeJson } from '../../../src/core/shared/visible.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { approvalsTexts } from './texts.ts'
import { readEditedInput } from './edited-input.ts'
import { onEscape } from '../ui/on-escape.ts'

interface Props {
  input: unknown
  isBusy: boolean
  onApprove(input: Record<string, unknown>): void
  onClose(): void
}

/** The arguments of a call, to be changed before it is made. */
export function EditForm({ input, isBusy, onApprove, onClose }: Props) {
  const t = useTexts(approvalsTexts)
  const [text, setText] = useState(() => escapeJson(JSON.stringify(input ?? {}, null, 2)))
  const read = readEditedInput(text)
  const error = !('problem' in read)
    ? undefined
    : read.problem === 'no-object'
      ? t.editNoObject
      : t.editInvalid(read.reason)
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if ('input' in read && !isBusy) onApprove(read.input)
      }}
    >
      <Field label={t.editInput} hint={t.editHint} error={error}>
        {(props) => (
          <textarea
            {...props}
            className={`${props.className} font-mono text-[13px]`}
            // the person asked for this box a moment ago
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            spellCheck={false}
            rows={Math.min(14, text.split('\n').length + 1)}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onEscape(onClose)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" size="small" variant="primary" disabled={isBusy || 'problem' in read}>
          {isBusy ? t.sending : t.editConfirm}
        </Button>
        <Button size="small" variant="ghost" onClick={onClose}>
          {t.cancel}
        </Button>
      </div>
    </form>
  )
}
