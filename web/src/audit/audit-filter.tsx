import { X } from 'lucide-react'
import { useId } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { auditTexts } from './texts.ts'

const typed = ['session', 'actor', 'action', 'resource', 'touching', 'decidedBy'] as const
const days = ['from', 'to'] as const
const results = ['success', 'error', 'denied'] as const

/** All of them are in the URL. */
export const auditFilters = [...typed, 'result', ...days] as const
export type AuditFilterName = (typeof auditFilters)[number]
type Values = Partial<Record<AuditFilterName, string>>

interface Props {
  values: Values
  /** What to choose from, of what was seen. */
  known: Partial<Record<(typeof typed)[number], readonly string[]>>
  onChange(patch: Values): void
}

export function AuditFilter({ values, known, onChange }: Props) {
  const t = useTexts(auditTexts)
  const id = useId()
  const hasAny = auditFilters.some((name) => values[name] !== undefined)
  const labels = { ...t, resource: t.kind }
  return (
    <div
      role="search"
      aria-label={t.filters}
      className="grid grid-cols-2 items-end gap-3 sm:grid-cols-3 lg:grid-cols-4"
    >
      {typed.map((name) => (
        <Field key={name} label={labels[name]} className="min-w-0">
          {(props) => (
            <>
              <input
                {...props}
                list={`${id}-${name}`}
                spellCheck={false}
                autoComplete="off"
                value={values[name] ?? ''}
                onChange={(event) => onChange({ [name]: event.target.value.trim() || undefined })}
              />
              <datalist id={`${id}-${name}`}>
                {known[name]?.map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </datalist>
            </>
          )}
        </Field>
      ))}
      <Field label={t.result} className="min-w-0">
        {(props) => (
          <select
            {...props}
            value={values.result ?? ''}
            onChange={(event) => onChange({ result: event.target.value || undefined })}
          >
            <option value="">{t.any}</option>
            {results.map((result) => (
              <option key={result} value={result}>
                {t.results[result]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {days.map((name) => (
        <Field key={name} label={t[name]} className="min-w-0">
          {(props) => (
            <input
              {...props}
              type="date"
              value={values[name] ?? ''}
              onChange={(event) => onChange({ [name]: event.target.value || undefined })}
            />
          )}
        </Field>
      ))}
      {hasAny && (
        <Button variant="ghost" className="justify-self-start" onClick={() => onChange(nothing)}>
          <X aria-hidden />
          {t.clear}
        </Button>
      )}
    </div>
  )
}

const nothing = Object.fromEntries(auditFilters.map((name) => [name, undefined])) as Values
