import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Provider } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Field } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'
import { settingsTexts } from './texts.ts'

interface Props {
  provider: Provider
  onClose(): void
}

/** Takes a key and forgets it: what is typed here is sent once and kept nowhere in the browser. */
export function ProviderDialog({ provider, onClose }: Props) {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { name, source } = provider
  const title = t.providerNames[name]
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(source === 'stored' ? (provider.baseUrl ?? '') : '')
  const [isMissing, setMissing] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      client.providers.put(
        name,
        {
          ...(apiKey.trim() && { apiKey: apiKey.trim() }),
          ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
        },
        { scope },
      ),
    onSuccess() {
      toast({ title: t.saved, description: title })
      void queries.invalidateQueries({ queryKey: ['models'] })
      void queries.invalidateQueries({ queryKey: ['settings'] })
      onClose()
    },
  })
  const errors = useFieldErrors(save.error, ['apiKey', 'baseUrl'])
  return (
    <FormDialog
      title={source === 'stored' ? t.replaceKey(title) : t.addKey(title)}
      label={t.save}
      isDisabled={save.isPending}
      error={errors.form}
      onSubmit={() => {
        const isEmpty = apiKey.trim() === '' && baseUrl.trim() === ''
        setMissing(isEmpty)
        if (!isEmpty) save.mutate()
      }}
      onClose={onClose}
    >
      {source === 'environment' && <p className="text-sm text-warning">{t.environmentWins}</p>}
      <Field
        label={t.apiKey}
        hint={name === 'ollama' ? t.apiKeyOptional : source === 'stored' ? t.apiKeyReplaces : t.apiKeyHint}
        error={isMissing ? t.keyMissing : errors.apiKey}
      >
        {(props) => (
          <input
            {...props}
            type="password"
            autoComplete="new-password"
            value={apiKey}
            onChange={(event) => setApiKey(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.baseUrl} hint={t.baseUrlHint} error={errors.baseUrl}>
        {(props) => (
          <input
            {...props}
            type="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://"
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
