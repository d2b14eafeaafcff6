import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import type { ParameterName } from '../../../src/core/protocol/parameters.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { sessionKeys } from '../api/session-queries.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { EffortSelect } from './effort-select.tsx'
import { numbers, readParameterDraft, toParameterDraft, type DraftErrors } from './parameter-draft.ts'
import { parameterTexts } from './texts.ts'

const fields = [
  'instructions',
  'parameters.temperature',
  'parameters.topP',
  'parameters.maxOutputTokens',
  'parameters.stop',
  'parameters.seed',
  'parameters.presencePenalty',
  'parameters.frequencyPenalty',
  'parameters.reasoningEffort',
  'parameters.providerOptions',
] as const

/** What the session says to its models beside the conversation; the server says what is wrong with it. */
export function SessionSettings({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useTexts(parameterTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [instructions, setInstructions] = useState(session.instructions ?? '')
  const [draft, setDraft] = useState(() => toParameterDraft(session.parameters))
  const [wrong, setWrong] = useState<DraftErrors>({})
  const { mutate, isPending, error } = useMutation({
    mutationFn: (parameters: ReturnType<typeof readParameterDraft>['parameters']) =>
      sessions.update(session.id, { scope, parameters, instructions: instructions.trim() || null }),
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      announce(t.saved)
      onClose()
    },
  })
  const errors = useFieldErrors(error, fields)
  const errorOf = (name: ParameterName) => (wrong[name] ? t[wrong[name]] : errors[`parameters.${name}`])
  const set = (name: ParameterName) => (text: string) => setDraft((before) => ({ ...before, [name]: text }))
  const submit = () => {
    const { parameters, errors: found } = readParameterDraft(draft)
    setWrong(found)
    if (Object.keys(found).length === 0) mutate(parameters)
  }
  return (
    <FormDialog
      title={t.title}
      label={t.save}
      isDisabled={isPending}
      error={errors.form}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t.instructions} hint={t.instructionsHint} error={errors.instructions}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            dir="auto"
            value={instructions}
            onChange={(event) => setInstructions(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="text-sm font-semibold">{t.parameters}</legend>
        <p className="text-sm text-muted">{t.parametersHint}</p>
        <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
          {numbers.map((name) => (
            <Field key={name} label={t.names[name]} error={errorOf(name)}>
              {(control) => (
                <input
                  {...control}
                  inputMode="decimal"
                  autoComplete="off"
                  value={draft[name]}
                  onChange={(event) => set(name)(event.target.value)}
                />
              )}
            </Field>
          ))}
        </div>
        <Field label={t.names.reasoningEffort} error={errorOf('reasoningEffort')}>
          {(control) => (
            <EffortSelect {...control} value={draft.reasoningEffort} onChange={set('reasoningEffort')} />
          )}
        </Field>
        <Field label={t.names.stop} error={errorOf('stop')}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              dir="auto"
              value={draft.stop}
              onChange={(event) => set('stop')(event.target.value)}
            />
          )}
        </Field>
        <Field label={t.names.providerOptions} hint={t.optionsHint} error={errorOf('providerOptions')}>
          {(control) => (
            <textarea
              {...control}
              rows={3}
              spellCheck={false}
              value={draft.providerOptions}
              onChange={(event) => set('providerOptions')(event.target.value)}
            />
          )}
        </Field>
      </fieldset>
    </FormDialog>
  )
}
