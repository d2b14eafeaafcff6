import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { EventHook } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useModelNames } from '../api/use-model-names.ts'
import { useTexts } from '../shell/texts.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Field } from '../ui/field.tsx'
import { ModelInput } from '../ui/model-input.tsx'
import { useToast } from '../ui/toast.tsx'
import { cronsTexts } from './texts.ts'
import {
  emptyHook,
  parseFilter,
  toCreateHook,
  toHookDraft,
  toUpdateHook,
  type HookDraft,
} from './hook-draft.ts'

interface Props {
  /** The one that is changed; a new one when left out. */
  hook?: EventHook
  onClose(): void
}

const fields = ['name', 'event', 'filter', 'prompt', 'label', 'model', 'maxPerHour', 'timeoutMs'] as const

/** Those that happen most; any other can be typed. */
const events = [
  'bg:session.completed',
  'bg:session.failed',
  'bg:session.timeout',
  'bg:session.cancelled',
  'bg:session.*',
  'run-ended',
  'session-changed',
  'cron-paused',
  'cron-skipped',
]

export function HookDialog({ hook, onClose }: Props) {
  const t = useTexts(cronsTexts)
  const eventsId = useId()
  const models = useModelNames()
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const [draft, setDraft] = useState<HookDraft>(() => (hook ? toHookDraft(hook) : emptyHook))
  const { wrong } = parseFilter(draft.filter)
  const save = useMutation({
    mutationFn: () =>
      hook
        ? client.eventHooks.update(hook.id, { scope, ...toUpdateHook(hook, draft) })
        : client.eventHooks.create({ scope, ...toCreateHook(draft) }),
    onSuccess(saved) {
      void queries.invalidateQueries({ queryKey: ['event-hooks'] })
      toast({ title: t.saved, description: saved.name })
      onClose()
    },
  })
  const errors = useFieldErrors(save.error, fields)
  const input = (name: keyof HookDraft) => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) =>
      setDraft((before) => ({ ...before, [name]: event.target.value })),
  })

  return (
    <FormDialog
      wide
      title={hook ? t.editTitle(hook.name) : t.newHookTitle}
      label={hook ? t.save : t.create}
      isDisabled={save.isPending}
      error={errors.form}
      onSubmit={() => {
        if (wrong === undefined) save.mutate()
      }}
      onClose={onClose}
    >
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 [&>*]:sm:col-span-2">
        <Field label={t.event} hint={t.eventHint} error={errors.event}>
          {(props) => (
            <input {...props} {...input('event')} list={eventsId} spellCheck={false} autoComplete="off" />
          )}
        </Field>
        <datalist id={eventsId}>
          {events.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
        <Field
          label={t.filter}
          hint={t.filterHint}
          error={wrong === undefined ? errors.filter : t.filterWrong(wrong)}
        >
          {(props) => <textarea {...props} {...input('filter')} rows={2} spellCheck={false} />}
        </Field>
        <Field label={t.prompt} hint={t.hookPromptHint} error={errors.prompt}>
          {(props) => <textarea {...props} {...input('prompt')} rows={3} dir="auto" />}
        </Field>
        <Field label={t.name} error={errors.name} className="sm:col-span-1!">
          {(props) => <input {...props} {...input('name')} dir="auto" />}
        </Field>
        <Field label={t.label} error={errors.label} className="sm:col-span-1!">
          {(props) => <input {...props} {...input('label')} dir="auto" />}
        </Field>
        <Field label={t.model} error={errors.model} className="sm:col-span-1!">
          {(props) => (
            <ModelInput {...props} {...input('model')} models={models} placeholder={t.modelDefault} />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-4 sm:col-span-1!">
          <Field label={t.maxPerHour} error={errors.maxPerHour}>
            {(props) => <input {...props} {...input('maxPerHour')} type="number" min={1} />}
          </Field>
          <Field label={t.timeout} error={errors.timeoutMs}>
            {(props) => <input {...props} {...input('timeoutMinutes')} type="number" min={0} step="any" />}
          </Field>
        </div>
      </div>
    </FormDialog>
  )
}
