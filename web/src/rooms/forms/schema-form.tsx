import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { roomFormTexts } from '../texts.ts'
import { keyOf, type SchemaDraft, type SchemaField, type SchemaProblem } from './schema-fields.ts'

interface Props {
  fields: readonly SchemaField[]
  draft: SchemaDraft
  problems?: Readonly<Record<string, SchemaProblem>>
  onChange(draft: SchemaDraft): void
}

/** All fields of a schema, one below the other. */
export function SchemaForm({ fields, draft, problems, onChange }: Props) {
  return fields.map((field) => {
    const key = keyOf(field)
    return (
      <SchemaInput
        key={key}
        field={field}
        value={draft[key]}
        problem={problems?.[key]}
        onChange={(value) => onChange({ ...draft, [key]: value })}
      />
    )
  })
}

interface InputProps {
  field: SchemaField
  value: string | boolean | undefined
  problem?: SchemaProblem
  onChange(value: string | boolean | undefined): void
}

function SchemaInput({ field, value, problem, onChange }: InputProps) {
  const t = useTexts(roomFormTexts)
  const { kind, min, max, description } = field
  const hint = [
    description,
    kind === 'number' && min !== undefined && max !== undefined && t.range(min, max),
  ].filter(Boolean)
  return (
    <Field
      label={wordsOf(t.optionNames, field.name)}
      hint={hint.length > 0 ? hint.join(' · ') : undefined}
      error={problem && t.problems[problem]}
    >
      {(control) => {
        const common = { ...control, 'aria-required': field.isRequired, dir: 'auto' } as const
        if (kind === 'switch')
          return (
            <select
              {...control}
              value={value === undefined ? '' : String(value)}
              onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
            >
              {field.preset === undefined && <option value="">{t.unset}</option>}
              <option value="true">{t.yes}</option>
              <option value="false">{t.no}</option>
            </select>
          )
        if (kind === 'choice')
          return (
            <select
              {...control}
              value={String(value ?? '')}
              onChange={({ target }) => onChange(target.value)}
            >
              {field.preset === undefined && <option value="">{t.unset}</option>}
              {field.values.map((one) => (
                <option key={one} value={one}>
                  {wordsOf(t.optionValues, one)}
                </option>
              ))}
            </select>
          )
        if (kind === 'lines')
          return (
            <textarea
              {...common}
              rows={3}
              value={String(value ?? '')}
              onChange={({ target }) => onChange(target.value)}
            />
          )
        return (
          <input
            {...common}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            placeholder={field.isRequired ? undefined : t.byDefault}
            value={String(value ?? '')}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }}
    </Field>
  )
}

/** In our words where the name is known; otherwise the name itself, as words. */
export function wordsOf(known: Readonly<Record<string, string>>, name: string): string {
  if (Object.hasOwn(known, name)) return known[name]!
  const spaced = name.replace(/[_-]+/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
