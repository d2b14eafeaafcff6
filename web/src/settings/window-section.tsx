import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsView } from '../../../src/client/index.ts'
import type { WindowSettings } from '../../../src/core/protocol/window.ts'
import { useClient } from '../api/api.tsx'
import { issueTexts } from '../api/texts.ts'
import { settingsQuery } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { toWindowDraft, toWindowErrors, toWindowSettings, type WindowField } from '../context/window-draft.ts'
import { EffectiveWindow } from './effective-window.tsx'
import { settingsTexts } from './texts.ts'

export function WindowSection() {
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery(settingsQuery(client, scope))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return <WindowForm key={JSON.stringify(data.window)} settings={data} />
}

function WindowForm({ settings }: { settings: SettingsView }) {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const before = settings.window ?? {}
  const [draft, setDraft] = useState(() => toWindowDraft(before))
  const save = useMutation({
    mutationFn: (window: WindowSettings) =>
      client.settings.update({ scope, window: Object.keys(window).length > 0 ? window : null }),
    onSuccess() {
      toast({ title: t.saved })
      void queries.invalidateQueries({ queryKey: ['settings'] })
    },
  })
  const errors = toWindowErrors(save.error, useTexts(issueTexts), 'window.')
  const input = (name: WindowField) => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) =>
      setDraft((given) => ({ ...given, [name]: event.target.value })),
  })
  const limits = [
    ['chars', t.chars],
    ['messages', t.messages],
    ['tokens', t.tokens],
  ] as const
  return (
    <>
      <p className="text-muted">{t.windowIntro}</p>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(toWindowSettings(draft, before))
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t.mode} error={errors.mode}>
            {(props) => (
              <select {...props} {...input('mode')}>
                <option value="">{t.fromServer}</option>
                <option value="lite">{t.modes.lite}</option>
                <option value="memo">{t.modes.memo}</option>
              </select>
            )}
          </Field>
          <Field label={t.preset} error={errors.preset}>
            {(props) => (
              <select {...props} {...input('preset')}>
                <option value="">{t.noPreset}</option>
                {(['last-20', 'last-10', 'rounds-4-3', 'unlimited'] as const).map((name) => (
                  <option key={name} value={name}>
                    {t.presets[name]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">{t.limits}</legend>
          <p className="text-sm text-muted">{t.limitsHint}</p>
          <div className="grid gap-4 sm:grid-cols-3">
            {limits.map(([name, label]) => (
              <Field key={name} label={label} error={errors[name]}>
                {(props) => <input {...props} {...input(name)} inputMode="numeric" autoComplete="off" />}
              </Field>
            ))}
          </div>
        </fieldset>
        <Field label={t.everyNTurns} error={errors.everyNTurns} className="sm:w-1/2">
          {(props) => <input {...props} {...input('everyNTurns')} inputMode="numeric" autoComplete="off" />}
        </Field>
        {errors.form && (
          <p role="alert" className="text-danger">
            {errors.form}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={save.isPending}>
            {t.save}
          </Button>
          {settings.window !== undefined && (
            <Button disabled={save.isPending} onClick={() => save.mutate({})}>
              {t.reset}
            </Button>
          )}
        </div>
      </form>
      <EffectiveWindow window={settings.effective.window} />
    </>
  )
}
