import type { ComponentProps } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { roomFormTexts } from '../texts.ts'
import { SchemaForm } from './schema-form.tsx'

/** What can be chosen of a mode; nothing where it offers nothing. */
export function OptionFields(props: ComponentProps<typeof SchemaForm>) {
  const t = useTexts(roomFormTexts)
  if (props.fields.length === 0) return null
  return (
    <fieldset>
      <legend className="text-sm font-semibold">{t.options}</legend>
      <div className="mt-2 grid grid-cols-1 gap-4 sm:grid-cols-2">
        <SchemaForm {...props} />
      </div>
    </fieldset>
  )
}
