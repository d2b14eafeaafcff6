import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { WindowSettings } from '../../../src/core/protocol/window.ts'
import { useClient } from '../api/api.tsx'
import { issueTexts } from '../api/texts.ts'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import {
  toWindowDraft,
  toWindowErrors,
  toWindowSettings,
  type WindowDraft,
  type WindowField,
} from './window-draft.ts'
import { contextTexts } from './texts.ts'

interface Props {
  sessionId: string
  /** What is set on the session itself. */
  settings: WindowSettings
}

/** Changes what is set on this session; the server says what is wrong with it. */
export function WindowForm({ sessionId, settings }: Props) {
  const t = useTexts(contextTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [draft, setDraft] = useState(() => toWindowDraft(settings))
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.sessions.setWindow(sessionId, { scope, ...toWindowSettings(draft, settings) }),
    onSuccess() {
      announce(t.saved)
      void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) })
    },
  })
  const errors = toWindowErrors(error, useTexts(issueTexts))
  const set = (patch: Partial<WindowDraft>) => setDraft((before) => ({ ...before, ...patch }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const numbers: [Exclude<WindowField, 'mode' | 'preset'>, string][] = [
    ['chars', t.chars],
    ['messages', t.messages],
    ['tokens', t.tokensEstimated],
    ['everyNTurns', t.everyNTurns],
  ]
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" aria-label={t.edit}>
      <h3 className="text-sm font-semibold">{t.edit}</h3>
      <Field label={t.mode} error={errors.mode}>
        {(control) => (
          <select
            {...control}
            value={draft.mode}
            onChange={(event) => set({ mode: event.target.value as WindowDraft['mode'] })}
          >
            <option value="">{t.fromServer}</option>
            <option value="lite">{t.modes.lite}</option>
            <option value="memo">{t.modes.memo}</option>
          </select>
        )}
      </Field>
      <Field label={t.preset} error={errors.preset}>
        {(control) => (
          <select
            {...control}
            value={draft.preset}
            onChange={(event) => set({ preset: event.target.value as WindowDraft['preset'] })}
          >
            <option value="">{t.none}</option>
            {(Object.keys(t.presets) as (keyof typeof t.presets)[]).map((name) => (
              <option key={name} value={name}>
                {t.presets[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        {numbers.map(([name, label]) => (
          <Field key={name} label={label} error={errors[name]}>
            {(control) => (
              <input
                {...control}
                inputMode="numeric"
                autoComplete="off"
                value={draft[name]}
                onChange={(event) => set({ [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <p className="text-sm text-muted">{t.limitHint}</p>
      {errors.form !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {errors.form}
        </p>
      )}
      <Button type="submit" variant="primary" className="self-start" disabled={isPending}>
        {t.save}
      </Button>
    </form>
  )
}
