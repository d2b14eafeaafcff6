import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { Provider } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { catalogueKeys, modelsQuery, settingsQuery } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { DefaultModel } from './default-model.tsx'
import { ModelTable } from './model-table.tsx'
import { ProviderDialog } from './provider-dialog.tsx'
import { ProviderRow } from './provider-row.tsx'
import { RemoveProvider } from './remove-provider.tsx'
import { settingsTexts } from './texts.ts'

export function ModelsSection() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const [edited, setEdited] = useState<Provider | 'new'>()
  const [removed, setRemoved] = useState<Provider>()
  const [isRefreshing, setRefreshing] = useState(false)
  const models = useQuery(modelsQuery(client, scope))
  const settings = useQuery(settingsQuery(client, scope))
  const refresh = async () => {
    setRefreshing(true)
    await queries
      .fetchQuery({
        queryKey: catalogueKeys.models({ scope }),
        queryFn: () => client.models.list({ scope, refresh: true }),
        staleTime: 0,
      })
      .catch(() => undefined) // the query itself says what went wrong
    setRefreshing(false)
  }
  const error = models.error ?? settings.error
  if (error)
    return <Failure error={error} onRetry={() => void models.refetch().then(() => settings.refetch())} />
  if (!models.data || !settings.data) return <Loading />
  const { providers, items } = models.data
  return (
    <>
      <DefaultModel
        key={settings.data.model ?? ''}
        settings={settings.data}
        models={items.filter(({ available }) => available).map(({ id }) => id)}
      />
      <section className="flex flex-col gap-2">
        <div className="flex items-center gap-2">
          <h3 className="flex-1 font-semibold">{t.providers}</h3>
          {!settings.data.isBound && (
            <Button size="small" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              {t.addProvider}
            </Button>
          )}
        </div>
        <p className="text-sm text-muted">{t.providersHint}</p>
        <ul className="divide-y divide-line rounded-lg border border-line">
          {providers.map((provider) => (
            <ProviderRow
              key={provider.name}
              provider={provider}
              mayChange={!settings.data.isBound}
              onEdit={() => setEdited(provider)}
              onRemove={() => setRemoved(provider)}
            />
          ))}
        </ul>
      </section>
      <section className="flex flex-col gap-2">
        <div className="flex items-center gap-2">
          <h3 className="flex-1 font-semibold">{t.models}</h3>
          <Button size="small" disabled={isRefreshing} onClick={() => void refresh()}>
            <RefreshCw aria-hidden className={isRefreshing ? 'animate-spin' : ''} />
            {t.refresh}
          </Button>
        </div>
        <ModelTable models={items} />
      </section>
      {edited && (
        <ProviderDialog
          provider={edited === 'new' ? undefined : edited}
          taken={providers.map(({ name }) => name)}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && <RemoveProvider provider={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}
