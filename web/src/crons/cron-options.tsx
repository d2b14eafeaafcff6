import type { FieldErrors } from '../api/field-errors.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { ModelInput } from '../ui/model-input.tsx'
import type { CronDraft } from './cron-draft.ts'
import { cronsTexts } from './texts.ts'

type Shown = 'label' | 'model' | 'timeoutMs' | 'maxMissed' | 'maxFailures'

interface Props {
  draft: CronDraft
  /** To choose from. */
  models: readonly string[]
  errors: FieldErrors<Shown>
  onChange(patch: Partial<CronDraft>): void
}

/** What most crons leave as it is. Opens by itself when something in it is wrong. */
export function CronOptions({ draft, models, errors, onChange }: Props) {
  const t = useTexts(cronsTexts)
  const isWrong = ['label', 'model', 'timeoutMs', 'maxMissed', 'maxFailures'].some(
    (name) => errors[name as Shown] !== undefined,
  )
  return (
    <details open={isWrong || undefined} className="rounded-md border border-line">
      <summary className="px-3 py-2 text-sm font-medium">{t.options}</summary>
      <div className="grid gap-x-4 gap-y-3 p-3 sm:grid-cols-2">
        <Field label={t.model} error={errors.model}>
          {(props) => (
            <ModelInput
              {...props}
              models={models}
              placeholder={t.modelDefault}
              value={draft.model}
              onChange={(event) => onChange({ model: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.timeout} hint={t.timeoutHint} error={errors.timeoutMs}>
          {(props) => (
            <input
              {...props}
              type="number"
              min={0}
              step="any"
              value={draft.timeoutMinutes}
              onChange={(event) => onChange({ timeoutMinutes: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.label} hint={t.labelHint} error={errors.label} className="sm:col-span-2">
          {(props) => (
            <input
              {...props}
              dir="auto"
              value={draft.label}
              onChange={(event) => onChange({ label: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.missed}>
          {(props) => (
            <select
              {...props}
              value={draft.missed}
              onChange={(event) => onChange({ missed: event.target.value as CronDraft['missed'] })}
            >
              {(['skip', 'once', 'all'] as const).map((name) => (
                <option key={name} value={name}>
                  {t.missedChoices[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.maxMissed} error={errors.maxMissed}>
          {(props) => (
            <input
              {...props}
              type="number"
              min={1}
              max={10}
              disabled={draft.missed !== 'all'}
              value={draft.maxMissed}
              onChange={(event) => onChange({ maxMissed: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.overlap}>
          {(props) => (
            <select
              {...props}
              value={draft.overlap}
              onChange={(event) => onChange({ overlap: event.target.value as CronDraft['overlap'] })}
            >
              {(['skip', 'queue', 'cancel-previous'] as const).map((name) => (
                <option key={name} value={name}>
                  {t.overlapChoices[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.maxFailures} hint={t.maxFailuresHint} error={errors.maxFailures}>
          {(props) => (
            <input
              {...props}
              type="number"
              min={0}
              value={draft.maxFailures}
              onChange={(event) => onChange({ maxFailures: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  )
}
