import type { ComponentProps, ReactNode } from 'react'
import { useErrorText } from '../api/field-errors.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface FormProps {
  /** On the button that submits. */
  label: string
  /** Nothing is submitted: something is on its way, or missing. */
  isDisabled?: boolean
  /** What the whole form was rejected for; fields show their own. */
  error?: Error | string | null
  /** The browser checks the fields first. */
  isChecked?: boolean
  onSubmit(): void
  onClose(): void
  children: ReactNode
}

/** A form in a dialog of its own. */
export function FormDialog({
  title,
  wide,
  ...form
}: FormProps & Pick<ComponentProps<typeof Dialog>, 'title' | 'wide'>) {
  return (
    <Dialog title={title} wide={wide} onClose={form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  )
}

/** The form alone, for a dialog that has to load something first. Its buttons stay in sight while it scrolls. */
export function DialogForm(props: FormProps) {
  const { label, isDisabled = false, error, isChecked = false, onSubmit, onClose, children } = props
  const { cancel } = useTexts(appTexts)
  const toText = useErrorText()
  return (
    <form
      className="flex flex-col gap-4"
      noValidate={!isChecked}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isDisabled) onSubmit()
      }}
    >
      {children}
      {error && (
        <p role="alert" className="text-sm whitespace-pre-wrap text-danger">
          {typeof error === 'string' ? error : toText(error)}
        </p>
      )}
      <div className="sticky -bottom-4 -mx-4 -mb-4 flex justify-end gap-2 rounded-b-xl border-t border-line bg-raised p-3">
        <Button onClick={onClose}>{cancel}</Button>
        <Button type="submit" variant="primary" disabled={isDisabled}>
          {label}
        </Button>
      </div>
    </form>
  )
}
