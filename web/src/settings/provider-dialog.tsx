import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Provider } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
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
  const formId = useId()
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
    <Dialog
      title={source === 'stored' ? t.replaceKey(title) : t.addKey(title)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={save.isPending}>
            {t.save}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        autoComplete="off"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const isEmpty = apiKey.trim() === '' && baseUrl.trim() === ''
          setMissing(isEmpty)
          if (!isEmpty) save.mutate()
        }}
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
              spellCheck={false}
              placeholder="https://"
              value={baseUrl}
              onChange={(event) => setBaseUrl(event.target.value)}
            />
          )}
        </Field>
        {errors.form && (
          <p role="alert" className="text-danger">
            {errors.form}
          </p>
        )}
      </form>
    </Dialog>
  )
}
