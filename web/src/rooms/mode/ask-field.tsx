import { useId } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import type { SchemaField } from '../forms/schema-fields.ts'
import { wordsOf } from '../forms/schema-form.tsx'
import { modeTexts } from '../texts.ts'

interface Props {
  field: SchemaField
  value: string | boolean | undefined
  error?: string
  nameOf(name: string): string
  onChange(value: string | boolean): void
}

// more than these are found faster in a list
const maxButtons = 24

/** One thing a person chooses or says: buttons for a few choices, a box for words. */
export function AskField({ field, value, error, nameOf, onChange }: Props) {
  const t = useTexts(modeTexts)
  const { kind, name, values, isRequired } = field
  const label = wordsOf(t.fieldNames, name)
  const choices =
    kind === 'switch'
      ? [
          { value: true, label: t.yes },
          { value: false, label: t.no },
        ]
      : values.map((one) => ({
          value: one,
          label: Object.hasOwn(t.fieldValues, one) ? t.fieldValues[one]! : nameOf(one),
        }))
  if (choices.length > 0 && choices.length <= maxButtons)
    return <Choices label={label} choices={choices} value={value} error={error} onChange={onChange} />
  return (
    <Field label={isRequired ? label : t.optional(label)} error={error}>
      {(control) =>
        choices.length > 0 ? (
          <select {...control} value={String(value ?? '')} onChange={({ target }) => onChange(target.value)}>
            <option value="">–</option>
            {values.map((one) => (
              <option key={one} value={one}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...control}
            dir="auto"
            aria-required={isRequired}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            value={String(value ?? '')}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  )
}

interface ChoicesProps extends Pick<Props, 'value' | 'error' | 'onChange'> {
  label: string
  choices: readonly { value: string | boolean; label: string }[]
}

function Choices({ label, choices, value, error, onChange }: ChoicesProps) {
  const group = useId()
  return (
    <fieldset aria-describedby={error ? `${group}-error` : undefined}>
      <legend className="text-sm font-medium">{label}</legend>
      <div className="mt-1 flex flex-wrap gap-1.5 p-0.5">
        {choices.map((choice) => (
          <label
            key={String(choice.value)}
            className="flex min-w-0 items-center rounded-full border border-line px-3 py-0.5 hover:bg-hover has-checked:border-accent has-checked:bg-selected has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-[var(--focus)]"
          >
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <bdi className="min-w-0 wrap-anywhere">{choice.label}</bdi>
          </label>
        ))}
      </div>
      {error && (
        <p id={`${group}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
