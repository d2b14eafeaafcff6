import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import { useClient } from '../../api/api.tsx'
import { issueTexts } from '../../api/texts.ts'
import { useScope } from '../../api/scope.ts'
import { useModelNames } from '../../api/use-model-names.ts'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { ModelInput } from '../../ui/model-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { AgentLook } from './agent-look.tsx'
import { toAgentDraft, toAgentErrors, toCreateAgent, toUpdateAgent, type AgentDraft } from './agent-draft.ts'
import { agentTexts } from '../texts.ts'
import { ToolsField } from './tools-field.tsx'

interface Props {
  /** The one that is changed, or copied; none: a new one. */
  agent?: Agent
  isCopy?: boolean
  onClose(): void
}

/** Who an agent is: its names, its looks, what it is told, and what it may do. */
export function AgentForm({ agent, isCopy = false, onClose }: Props) {
  const t = useTexts(agentTexts)
  const { agents } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const models = useModelNames()
  const [draft, setDraft] = useState(() => toAgentDraft(agent))
  const change = (patch: Partial<AgentDraft>) => setDraft({ ...draft, ...patch })
  const isEdit = agent !== undefined && !isCopy
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      isEdit
        ? agents.update(agent.name, toUpdateAgent(draft, agent, scope))
        : agents.create(toCreateAgent(draft, scope)),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agents'] })
      onClose()
    },
  })
  const errors = toAgentErrors(error, draft, useTexts(issueTexts))
  const text = (name: 'displayName' | 'description' | 'nicknames' | 'aliases', hint?: string) => (
    <Field label={t[name]} hint={hint} error={errors[name]}>
      {(control) => (
        <input
          {...control}
          dir="auto"
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  )
  const title = agent === undefined ? t.add : isCopy ? t.copyTitle(agent.name) : t.editTitle(agent.name)
  return (
    <FormDialog
      wide
      title={title}
      label={isEdit ? t.save : t.create}
      isDisabled={isPending || draft.name.trim() === ''}
      error={errors.form}
      onSubmit={mutate}
      onClose={onClose}
    >
      {isCopy && <p className="text-sm text-muted">{t.copyHint}</p>}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label={t.name} hint={isEdit ? undefined : t.nameHint} error={errors.name}>
          {(control) => (
            <input
              {...control}
              dir="auto"
              aria-required
              autoCapitalize="none"
              spellCheck={false}
              disabled={isEdit}
              value={draft.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </Field>
        {text('displayName')}
      </div>
      {text('description')}
      <AgentLook draft={draft} errors={errors} onChange={change} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {text('nicknames', t.wordsHint)}
        {text('aliases')}
      </div>
      <Field label={t.persona} hint={t.personaHint} error={errors.persona}>
        {(control) => (
          <textarea
            {...control}
            dir="auto"
            rows={6}
            value={draft.persona}
            onChange={({ target }) => change({ persona: target.value })}
          />
        )}
      </Field>
      <Field label={t.model} hint={t.modelHint} error={errors.model}>
        {(control) => (
          <ModelInput
            {...control}
            models={models}
            value={draft.model}
            onChange={({ target }) => change({ model: target.value })}
          />
        )}
      </Field>
      <ToolsField draft={draft} error={errors.tools} onChange={change} />
      <Limits draft={draft} error={errors.limits} onChange={change} />
    </FormDialog>
  )
}

const limits = ['maxSteps', 'tokenBudget', 'timeoutSeconds'] as const

interface LimitsProps {
  draft: AgentDraft
  error?: string
  onChange(patch: Partial<AgentDraft>): void
}

function Limits({ draft, error, onChange }: LimitsProps) {
  const t = useTexts(agentTexts)
  const id = useId()
  return (
    <fieldset aria-describedby={error ? id : undefined}>
      <legend className="text-sm font-semibold">{t.limits}</legend>
      <div className="mt-1 grid grid-cols-1 gap-4 sm:grid-cols-3">
        {limits.map((name) => (
          <Field key={name} label={t[name]}>
            {(control) => (
              <input
                {...control}
                inputMode="numeric"
                placeholder={t.byDefault}
                value={draft[name]}
                onChange={({ target }) => onChange({ [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {error && (
        <p id={id} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
