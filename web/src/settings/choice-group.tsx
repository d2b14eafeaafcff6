import { useId } from 'react'

interface Props<Value extends string> {
  label: string
  hint?: string
  value: Value
  options: Record<Value, string>
  onChange(value: Value): void
}

/** One of a few, all of them in sight. */
export function ChoiceGroup<Value extends string>({ label, hint, value, options, onChange }: Props<Value>) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-1.5" aria-describedby={hint ? `${name}-hint` : undefined}>
      <legend className="mb-1 font-medium">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([option, text]) => (
        <label key={option} className="flex w-fit items-center gap-2">
          <input
            type="radio"
            name={name}
            className="size-4 accent-[var(--accent)]"
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
      {hint && (
        <p id={`${name}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </fieldset>
  )
}
