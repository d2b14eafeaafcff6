import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import type { Arg } from './definition.ts'
import { isRequired, structureOf } from './run-args.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  name: string
  arg: Arg
  value: string | boolean
  error?: string
  onChange(value: string | boolean): void
}

/** One arg, by its type: a box for words, a number, a switch, or JSON. */
export function ArgField({ name, arg, value, error, onChange }: Props) {
  const t = useTexts(workflowTexts)
  const isJson = structureOf(arg) !== undefined
  const hint = [arg.description, isJson && t.json, !isRequired(arg) && t.optional].filter(Boolean).join(' · ')
  if (typeof value === 'boolean')
    return (
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 size-4 accent-accent"
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>
          <span className="text-sm font-medium">{name}</span>
          {arg.description && <span className="block text-sm text-muted">{arg.description}</span>}
        </span>
      </label>
    )
  return (
    <Field label={name} hint={hint || undefined} error={error}>
      {(control) => {
        const common = {
          ...control,
          'aria-required': isRequired(arg),
          dir: 'auto',
          value,
        } as const
        if (arg.type === 'number')
          return <input {...common} inputMode="decimal" onChange={(event) => onChange(event.target.value)} />
        return (
          <textarea
            {...common}
            rows={isJson ? Math.min(10, Math.max(3, value.split('\n').length)) : 2}
            spellCheck={!isJson}
            className={isJson ? `${control.className} font-mono text-[13px]` : control.className}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }}
    </Field>
  )
}
