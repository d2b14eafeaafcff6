import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useClient } from '../../api/api.tsx'
import { toolsQuery } from '../../api/catalogue-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import type { AgentDraft } from './agent-draft.ts'
import { agentTexts } from '../texts.ts'

interface Props {
  draft: AgentDraft
  error?: string
  onChange(patch: Partial<AgentDraft>): void
}

const modes = ['all', 'none', 'some'] as const

/** Which tools of the room an agent may use. */
export function ToolsField({ draft, error, onChange }: Props) {
  const t = useTexts(agentTexts)
  const { catalogue } = useClient()
  const scope = useScope()
  const group = useId()
  const { data } = useQuery({
    ...toolsQuery({ catalogue }, scope),
    enabled: draft.tools === 'some',
  })
  const known = data?.items.map(({ name }) => name) ?? []
  const { toolNames } = draft
  const all = [...new Set([...toolNames, ...known])]
  return (
    <fieldset aria-describedby={error ? `${group}-error` : undefined}>
      <legend className="text-sm font-medium">{t.tools}</legend>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {modes.map((mode) => (
          <label key={mode} className="flex items-center gap-1.5 text-sm">
            <input
              type="radio"
              name={group}
              className="size-4 accent-accent"
              checked={draft.tools === mode}
              onChange={() => onChange({ tools: mode })}
            />
            {t.toolModes[mode]}
          </label>
        ))}
      </div>
      {draft.tools === 'some' && (
        <div className="mt-1 grid max-h-40 grid-cols-1 gap-x-3 overflow-y-auto rounded-md border border-line p-2 sm:grid-cols-2">
          {all.map((name) => (
            <label key={name} className="flex min-h-7 min-w-0 items-center gap-1.5 text-sm">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-accent"
                checked={toolNames.includes(name)}
                onChange={() =>
                  onChange({
                    toolNames: toolNames.includes(name)
                      ? toolNames.filter((one) => one !== name)
                      : [...toolNames, name],
                  })
                }
              />
              <code className="min-w-0 truncate">{name}</code>
            </label>
          ))}
        </div>
      )}
      {error && (
        <p id={`${group}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
