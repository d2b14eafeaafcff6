import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Provider, PutProvider } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useFieldErrors } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Field } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'
import { providerTitle } from './provider-title.ts'
import { settingsTexts } from './texts.ts'

interface Props {
  /** Left out, one is added under a name of its own. */
  provider?: Provider
  /** Names that there are. */
  taken: readonly string[]
  onClose(): void
}

type Kind = NonNullable<PutProvider['kind']>

/** Takes a key and forgets it: what is typed here is sent once and kept nowhere in the browser. */
export function ProviderDialog({ provider, taken, onClose }: Props) {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const isNamed = !provider?.isBuiltIn
  const isStored = provider?.source === 'stored'
  const [name, setName] = useState(provider?.name ?? '')
  const [kind, setKind] = useState<Kind>(provider?.kind === 'anthropic' ? 'anthropic' : 'openai')
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(isStored ? (provider.baseUrl ?? '') : '')
  const [missing, setMissing] = useState<{ name?: string; apiKey?: string; baseUrl?: string }>({})
  const title = provider ? providerTitle(provider, t.providerNames) : name.trim()
  const save = useMutation({
    mutationFn: () =>
      client.providers.put(
        name.trim(),
        {
          ...(isNamed && { kind }),
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
  const findMissing = () => {
    if (!isNamed) return apiKey.trim() === '' && baseUrl.trim() === '' ? { apiKey: t.keyMissing } : {}
    const wanted = name.trim()
    return {
      ...(!provider && wanted === '' && { name: t.providerNameMissing }),
      ...(!provider && taken.includes(wanted) && { name: t.providerNameTaken }),
      ...(baseUrl.trim() === '' && { baseUrl: t.baseUrlMissing }),
    }
  }
  return (
    <FormDialog
      title={
        !provider
          ? t.addProvider
          : isNamed
            ? t.changeProvider(title)
            : isStored
              ? t.replaceKey(title)
              : t.addKey(title)
      }
      label={t.save}
      isDisabled={save.isPending}
      error={errors.form}
      onSubmit={() => {
        const found = findMissing()
        setMissing(found)
        if (Object.keys(found).length === 0) save.mutate()
      }}
      onClose={onClose}
    >
      {provider?.source === 'environment' && <p className="text-sm text-warning">{t.environmentWins}</p>}
      {!provider && (
        <Field label={t.providerName} hint={t.providerNameHint(name.trim())} error={missing.name}>
          {(props) => (
            <input
              {...props}
              type="text"
              autoComplete="off"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      {isNamed && (
        <Field label={t.kind}>
          {(props) => (
            <select {...props} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
              <option value="openai">{t.kinds.openai}</option>
              <option value="anthropic">{t.kinds.anthropic}</option>
            </select>
          )}
        </Field>
      )}
      <Field
        label={t.apiKey}
        hint={
          isStored && isNamed
            ? t.apiKeyDrops
            : isNamed || provider.name === 'ollama'
              ? t.apiKeyOptional
              : isStored
                ? t.apiKeyReplaces
                : t.apiKeyHint
        }
        error={missing.apiKey ?? errors.apiKey}
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
      <Field
        label={t.baseUrl}
        hint={isNamed ? t.baseUrlNamedHint : t.baseUrlHint}
        error={missing.baseUrl ?? errors.baseUrl}
      >
        {(props) => (
          <input
            {...props}
            type="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={isNamed ? 'http://127.0.0.1:8080/v1' : 'https://'}
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
