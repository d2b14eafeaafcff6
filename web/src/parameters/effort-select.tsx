import type { ComponentProps } from 'react'
import type { ParameterSettings } from '../../../src/core/protocol/parameters.ts'
import { useTexts } from '../shell/texts.ts'
import { toModel } from './parameter-draft.ts'
import { parameterTexts } from './texts.ts'

type Effort = NonNullable<ParameterSettings['reasoningEffort']>

// the page is free of the schemas that have this list
const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

interface Props extends Omit<ComponentProps<'select'>, 'onChange'> {
  value: string
  onChange(value: string): void
}

export function EffortSelect({ onChange, ...control }: Props) {
  const t = useTexts(parameterTexts)
  return (
    <select {...control} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t.asScope}</option>
      <option value={toModel}>{t.asModel}</option>
      {efforts.map((effort) => (
        <option key={effort} value={effort}>
          {effort}
        </option>
      ))}
    </select>
  )
}
