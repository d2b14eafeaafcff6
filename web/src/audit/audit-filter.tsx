import { X } from 'lucide-react'
import { useId } from 'react'
import { useTexts } from '../app/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { auditTexts } from './audit-texts.ts'

const auditFilters = ['session', 'action', 'actor'] as const
export type AuditFilterName = (typeof auditFilters)[number]
type Values = Partial<Record<AuditFilterName, string>>

interface Props {
  values: Values
  /** What to choose from, of what was seen. */
  known: Partial<Record<AuditFilterName, readonly string[]>>
  onChange(patch: Values): void
}

export function AuditFilter({ values, known, onChange }: Props) {
  const t = useTexts(auditTexts)
  const id = useId()
  const hasAny = auditFilters.some((name) => values[name] !== undefined)
  return (
    <div
      role="search"
      aria-label={t.filters}
      className="flex flex-wrap items-end gap-3 max-sm:grid max-sm:grid-cols-2"
    >
      {auditFilters.map((name) => (
        <Field
          key={name}
          label={t[name]}
          className={name === 'session' ? 'w-64 max-sm:col-span-2 max-sm:w-full' : 'w-44 max-sm:w-full'}
        >
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
      {hasAny && (
        <Button
          variant="ghost"
          onClick={() => onChange({ session: undefined, action: undefined, actor: undefined })}
        >
          <X aria-hidden />
          {t.clear}
        </Button>
      )}
    </div>
  )
}
