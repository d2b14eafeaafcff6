import { useErrorText } from '../api/field-errors.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'

interface Props {
  error: Error | null
  /** On the button that submits. */
  label: string
  isBusy: boolean
  onClose(): void
}

/** What a form was refused for, and its two ways out. */
export function FormEnd({ error, label, isBusy, onClose }: Props) {
  const { cancel } = useTexts(appTexts)
  const toText = useErrorText()
  return (
    <>
      {error && (
        <p role="alert" className="text-sm whitespace-pre-wrap text-danger">
          {toText(error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{cancel}</Button>
        <Button type="submit" variant="primary" disabled={isBusy}>
          {label}
        </Button>
      </div>
    </>
  )
}
