import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { cronKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useModelNames } from '../api/use-model-names.ts'
import { useTexts } from '../shell/texts.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Field } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'
import { newDraft, toCreate, toDraft, toUpdate, type CronDraft } from './cron-draft.ts'
import { CronOptions } from './cron-options.tsx'
import { cronsTexts } from './texts.ts'
import { FiresPreview } from './fires-preview.tsx'
import { ScheduleField } from './schedule-field.tsx'
import { toLine } from './schedule-draft.ts'
import { useDebounced } from '../ui/use-debounced.ts'

interface Props {
  /** The one that is changed; a new one when left out. */
  cron?: Cron
  onClose(): void
}

const fields = [
  'name',
  'prompt',
  'schedule',
  'timeZone',
  'label',
  'model',
  'timeoutMs',
  'maxMissed',
  'maxFailures',
] as const
const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone

export function CronDialog({ cron, onClose }: Props) {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const models = useModelNames()
  const [draft, setDraft] = useState<CronDraft>(() => (cron ? toDraft(cron) : newDraft(zoneHere())))
  const change = (patch: Partial<CronDraft>) => setDraft((before) => ({ ...before, ...patch }))

  const schedule = toLine(draft.schedule).trim()
  const asked = useDebounced(`${draft.timeZone.trim() || 'UTC'}\n${schedule}`, 250)
  const [timeZone = '', line = ''] = asked.split('\n')
  const preview = useQuery({
    queryKey: cronKeys.crons({ preview: asked, scope }),
    queryFn: () => client.crons.preview({ scope, schedule: line, timeZone, count: 5 }),
    enabled: line !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
  const save = useMutation({
    mutationFn: () =>
      cron
        ? client.crons.update(cron.id, { scope, ...toUpdate(cron, draft) })
        : client.crons.create({ scope, ...toCreate(draft) }),
    onSuccess(saved) {
      void queries.invalidateQueries({ queryKey: ['crons'] })
      toast({ title: t.saved, description: saved.name })
      onClose()
    },
  })
  const errors = {
    ...useFieldErrors(line === '' ? undefined : preview.error, fields),
    ...useFieldErrors(save.error, fields),
  }
  const isOnceOver = preview.data?.items.length === 0
  const formError = errors.form

  return (
    <FormDialog
      wide
      title={cron ? t.editTitle(cron.name) : t.newTitle}
      label={cron ? t.save : t.create}
      isDisabled={save.isPending}
      error={formError}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <Field label={t.prompt} hint={t.promptHint} error={errors.prompt}>
        {(props) => (
          <textarea
            {...props}
            rows={3}
            dir="auto"
            value={draft.prompt}
            onChange={(event) => change({ prompt: event.target.value })}
          />
        )}
      </Field>
      <ScheduleField
        schedule={draft.schedule}
        timeZone={draft.timeZone}
        errors={{ schedule: errors.schedule, timeZone: errors.timeZone }}
        onSchedule={(changed) => change({ schedule: changed })}
        onTimeZone={(changed) => change({ timeZone: changed })}
      />
      <div className="min-h-36 rounded-md border border-line bg-surface p-3">
        <h3 className="mb-1 text-sm font-medium">{t.nextFires}</h3>
        {preview.data && !preview.error && line !== '' ? (
          isOnceOver ? (
            <p className="text-sm text-warning">{t.nextNone}</p>
          ) : (
            <FiresPreview preview={preview.data} />
          )
        ) : (
          <p className="text-sm text-muted">{t.previewWait}</p>
        )}
      </div>
      <Field label={t.name} hint={cron ? undefined : t.nameHint} error={errors.name}>
        {(props) => (
          <input
            {...props}
            dir="auto"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <CronOptions draft={draft} models={models} errors={errors} onChange={change} />
    </FormDialog>
  )
}
