import { clsx } from 'clsx'
import { useId, type ReactNode } from 'react'

interface Control {
  id: string
  className: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

interface Props {
  label: string
  hint?: ReactNode
  error?: string
  className?: string
  /** Gets what connects the control with its label and its words. */
  children(control: Control): ReactNode
}

export const controlStyle =
  'min-h-9.5 w-full rounded-md border border-line bg-page px-2.5 py-1.5 text-text placeholder:text-muted disabled:opacity-60'

/** A control with its label, a hint and what is wrong with it. */
export function Field({ label, hint, error, className, children }: Props) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={clsx('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        className: controlStyle,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(error && { 'aria-invalid': true }),
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
