import { useId } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { defaultHuman, type RoomDraftFields } from './room-draft.ts'
import { roomFormTexts } from '../texts.ts'

interface Props {
  fields: RoomDraftFields
  /** What is wrong, by field of the server. */
  error?: string
  onChange(patch: Partial<RoomDraftFields>): void
}

const policies = ['all', 'moderator', 'round-robin', 'selector', 'silent'] as const
const limits = ['hopLimit', 'coolDown', 'maxReplies'] as const

/** Who answers, in which language, and whether the person plays. */
export function RoomFields({ fields, error, onChange }: Props) {
  const t = useTexts(roomFormTexts)
  const id = useId()
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label={t.policy} hint={t.policies[fields.policy].hint}>
          {(control) => (
            <select
              {...control}
              value={fields.policy}
              onChange={({ target }) => onChange({ policy: target.value as RoomDraftFields['policy'] })}
            >
              {policies.map((policy) => (
                <option key={policy} value={policy}>
                  {t.policies[policy].label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.language}>
          {(control) => (
            <select
              {...control}
              value={fields.language}
              onChange={({ target }) => onChange({ language: target.value as 'en' | 'zh' })}
            >
              <option value="en">{t.languages.en}</option>
              <option value="zh">{t.languages.zh}</option>
            </select>
          )}
        </Field>
        {fields.policy === 'moderator' && (
          <Field label={t.moderator}>
            {(control) => (
              <select
                {...control}
                value={fields.moderator}
                onChange={({ target }) => onChange({ moderator: target.value })}
              >
                <option value="">{t.firstAgent}</option>
                {fields.agents.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      <div className="flex items-start gap-2">
        <input
          id={`${id}-plays`}
          type="checkbox"
          aria-describedby={`${id}-hint`}
          className="mt-1 size-4 shrink-0 accent-accent"
          checked={fields.plays}
          onChange={({ target }) => onChange({ plays: target.checked })}
        />
        <span>
          <label htmlFor={`${id}-plays`} className="text-sm font-medium">
            {t.iPlay}
          </label>
          <span id={`${id}-hint`} className="block text-sm text-muted">
            {t.iPlayHint}
          </span>
        </span>
      </div>
      <Field label={t.myName}>
        {(control) => (
          <input
            {...control}
            dir="auto"
            placeholder={defaultHuman}
            value={fields.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <details>
        <summary className="text-sm font-medium">{t.limits}</summary>
        <div className="mt-2 grid grid-cols-1 gap-4 sm:grid-cols-3">
          {limits.map((name) => (
            <Field key={name} label={t[name]} className="justify-between">
              {(control) => (
                <input
                  {...control}
                  inputMode="numeric"
                  placeholder={t.byDefault}
                  value={fields[name]}
                  onChange={({ target }) => onChange({ [name]: target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </>
  )
}
