import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import { useKeptSearch } from '../../shell/features-context.tsx'
import { useTexts } from '../../shell/texts.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Avatar } from '../avatar.tsx'
import { suggestAgents } from '../mentions.ts'
import { roomFormTexts } from '../texts.ts'

interface Props {
  agents: readonly Agent[]
  chosen: readonly string[]
  hint?: string
  error?: string
  onChange(chosen: readonly string[]): void
}

// fewer are seen at a glance
const searchedFrom = 9

/** Who is in the room, in the order in which they were chosen. */
export function AgentPicker({ agents, chosen, hint, error, onChange }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(roomFormTexts)
  const id = useId()
  const [words, setWords] = useState('')
  const gone = chosen.filter((name) => !agents.some((agent) => agent.name === name))
  const shown = words === '' ? agents : agents.filter((agent) => suggestAgents([agent], words).length > 0)
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="flex w-full items-baseline gap-2 text-sm font-medium">
        {t.agents}
        <span className="font-normal text-muted">
          {t.agentsChosen(chosen.length)}
          {hint && ` · ${hint}`}
        </span>
      </legend>
      {agents.length >= searchedFrom && (
        <SearchBox
          label={t.findAgent}
          clearLabel={t.clear}
          value={words}
          onChange={setWords}
          className="mt-1"
        />
      )}
      {agents.length === 0 && <p className="text-sm text-muted">{t.noAgents}</p>}
      <div className="mt-1 grid max-h-64 grid-cols-1 gap-1 overflow-y-auto p-0.5 sm:grid-cols-2">
        {gone.map((name) => (
          <Choice key={name} agent={{ name, description: t.gone }} isChosen onToggle={() => toggle(name)} />
        ))}
        {shown.map((agent) => (
          <Choice
            key={agent.name}
            agent={agent}
            isChosen={chosen.includes(agent.name)}
            onToggle={() => toggle(agent.name)}
          />
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
      <Link to="/agents" search={keepSearch()} className="text-sm text-accent underline underline-offset-2">
        {t.editAgents}
      </Link>
    </fieldset>
  )
}

interface ChoiceProps {
  agent: Pick<Agent, 'name' | 'displayName' | 'avatar' | 'color' | 'description'>
  isChosen: boolean
  onToggle(): void
}

function Choice({ agent, isChosen, onToggle }: ChoiceProps) {
  return (
    <label className="flex min-w-0 items-center gap-2 rounded-md border border-line px-2 py-1 hover:bg-hover has-checked:border-accent has-checked:bg-selected">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={isChosen}
        onChange={onToggle}
      />
      <Avatar agent={agent} size="small" />
      <span className="min-w-0">
        <bdi className="block truncate text-sm font-medium">{agent.displayName || agent.name}</bdi>
        {agent.description && <bdi className="block truncate text-xs text-muted">{agent.description}</bdi>}
      </span>
    </label>
  )
}
