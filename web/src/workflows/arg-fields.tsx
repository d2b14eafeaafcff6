import { useTexts } from '../shell/texts.ts'
import { ArgField } from './arg-field.tsx'
import type { Arg } from './definition.ts'
import type { ArgDraft, ArgProblem } from './run-args.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  args: Readonly<Record<string, Arg>>
  draft: ArgDraft
  problems: Readonly<Record<string, ArgProblem>>
  onChange(draft: ArgDraft): void
}

/** All that a run is given. */
export function ArgFields({ args, draft, problems, onChange }: Props) {
  const t = useTexts(workflowTexts)
  return Object.entries(args).map(([name, arg]) => {
    const problem = problems[name]
    return (
      <ArgField
        key={name}
        name={name}
        arg={arg}
        value={draft[name] ?? ''}
        error={problem && t.argProblems[problem]}
        onChange={(value) => onChange({ ...draft, [name]: value })}
      />
    )
  })
}
