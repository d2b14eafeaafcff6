import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Provider, ProviderName } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { useErrorText } from '../../api/field-errors.ts'
import { catalogueKeys } from '../../api/catalogue-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { startTexts } from '../texts.ts'

interface Props {
  providers: readonly Provider[]
}

interface Outcome {
  isGood: boolean
  text: string
}

const names: Record<ProviderName, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google Gemini',
  ollama: 'Ollama',
}

/** Takes key and address of a provider, and says whether its models can be asked with them. */
export function ProviderForm({ providers }: Props) {
  const t = useTexts(startTexts)
  const builtIn = providers.filter(({ isBuiltIn }) => isBuiltIn)
  const [name, setName] = useState<ProviderName>((builtIn[0]?.name as ProviderName) ?? 'openai')
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [outcome, setOutcome] = useState<Outcome | 'trying'>()
  const tryOut = useTryOut()
  const isOllama = name === 'ollama'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setOutcome('trying')
    const given = {
      ...(!isOllama && apiKey.trim() && { apiKey: apiKey.trim() }),
      ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
    }
    const result = await tryOut(name, given)
    if (result.isGood) setApiKey('')
    setOutcome(result)
  }
  return (
    <details className="rounded-lg border border-line bg-raised">
      <summary className="rounded-lg px-3 py-2 font-medium hover:bg-hover">{t.addKey}</summary>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3 p-3 pt-1">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label={t.provider}>
            {(props) => (
              <select
                {...props}
                value={name}
                onChange={(event) => {
                  setName(event.target.value as ProviderName)
                  setOutcome(undefined)
                }}
              >
                {builtIn.map((provider) => (
                  <option key={provider.name} value={provider.name}>
                    {names[provider.name as ProviderName]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {!isOllama && (
            <Field label={baseUrl ? t.apiKeyOptional : t.apiKey} hint={t.addKeyHint}>
              {(props) => (
                <input
                  {...props}
                  type="password"
                  autoComplete="off"
                  required={baseUrl === '' || name !== 'openai'}
                  value={apiKey}
                  onChange={(event) => setApiKey(event.target.value)}
                />
              )}
            </Field>
          )}
        </div>
        <Field label={t.baseUrl} hint={isOllama ? t.baseUrlOllama : t.baseUrlHint}>
          {(props) => (
            <input
              {...props}
              type="url"
              autoComplete="off"
              required={isOllama}
              value={baseUrl}
              onChange={(event) => setBaseUrl(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" disabled={outcome === 'trying'}>
            {outcome === 'trying' ? t.saving : t.save}
          </Button>
          {outcome !== undefined && outcome !== 'trying' && (
            <p
              role={outcome.isGood ? 'status' : 'alert'}
              className={outcome.isGood ? 'min-w-0 text-sm' : 'min-w-0 text-sm text-danger'}
            >
              {outcome.text}
            </p>
          )}
        </div>
      </form>
    </details>
  )
}

/** Stores it, then asks the provider for its models: only that shows whether the key is any good. */
function useTryOut() {
  const t = useTexts(startTexts)
  const toText = useErrorText()
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  return async (name: ProviderName, given: { apiKey?: string; baseUrl?: string }): Promise<Outcome> => {
    try {
      const { source } = await client.providers.put(name, given, { scope })
      const models = await client.models.list({ scope, refresh: true })
      queries.setQueryData([...catalogueKeys.models(), scope], models)
      if (source === 'environment') return { isGood: false, text: t.environmentWins(names[name]) }
      const provider = models.providers.find((known) => known.name === name)
      if (provider?.error) return { isGood: false, text: t.refused(names[name], provider.error) }
      const count = models.items.filter(({ adapter }) => adapter === name).length
      return { isGood: true, text: t.added(names[name], count) }
    } catch (error) {
      return { isGood: false, text: t.notSaved(toText(error)) }
    }
  }
}
