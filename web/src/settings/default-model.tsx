import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsView } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { ModelInput } from '../ui/model-input.tsx'
import { useToast } from '../ui/toast.tsx'
import { settingsTexts } from './texts.ts'

interface Props {
  settings: SettingsView
  /** To choose from; any other that a provider has can be typed. */
  models: readonly string[]
}

export function DefaultModel({ settings, models }: Props) {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const [value, setValue] = useState(settings.model ?? '')
  const save = useMutation({
    mutationFn: (model: string | null) => client.settings.update({ scope, model }),
    onSuccess({ effective }) {
      toast({ title: t.saved, description: effective.model })
      void queries.invalidateQueries({ queryKey: ['settings'] })
      void queries.invalidateQueries({ queryKey: ['models'] })
    },
  })
  const errors = useFieldErrors(save.error, ['model'])
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(value.trim() || null)
      }}
    >
      <Field
        label={t.defaultModel}
        hint={t.defaultModelHint(settings.effective.model)}
        error={errors.model ?? errors.form}
      >
        {(props) => (
          <ModelInput
            {...props}
            models={models}
            placeholder={t.serverDefault}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          size="small"
          disabled={save.isPending || value.trim() === (settings.model ?? '')}
        >
          {t.save}
        </Button>
        {settings.model !== undefined && (
          <Button size="small" disabled={save.isPending} onClick={() => save.mutate(null)}>
            {t.defaultModelClear}
          </Button>
        )}
      </div>
    </form>
  )
}
