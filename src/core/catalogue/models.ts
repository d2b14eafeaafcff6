import type { ConfiguredProvider } from '../models/registry.ts'
import type { Model, ModelList, Provider } from '../protocol/models.ts'
import type { Caller } from '../sessions/caller.ts'
import { readScopeSettings } from '../sessions/scope-settings.ts'
import type { CatalogueDeps } from './open-catalogue.ts'

/** What is configured comes first, then what each provider lists. */
export async function listModels(
  { store, registry, lists }: CatalogueDeps,
  { scope }: Pick<Caller, 'scope'>,
  { refresh }: { refresh?: boolean },
): Promise<ModelList> {
  const asked = await Promise.all(
    registry.providers().map(async (provider) => ({ provider, ...(await lists.of(provider, { refresh })) })),
  )
  const items = new Map<string, Model>(registry.list().map((model) => [model.id, model]))
  for (const { provider, models } of asked)
    for (const model of models) {
      const id = `${provider.name}/${model}`
      if (!items.has(id)) items.set(id, { id, adapter: provider.name, available: true })
    }
  const { model } = await readScopeSettings(store, scope)
  return {
    items: [...items.values()],
    default: model ?? registry.defaultId,
    providers: asked.map(({ provider, error }) => ({ ...toProvider(provider), ...(error && { error }) })),
    nextCursor: null,
  }
}

/** What may be known of a provider. */
export function toProvider({ name, isConfigured, source, settings }: ConfiguredProvider): Provider {
  const baseUrl = settings.baseUrl && showUrl(settings.baseUrl)
  return { name, isConfigured, source, ...(baseUrl && { baseUrl }) }
}

/** Without the parts of an address in which people put passwords and keys. */
function showUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url ? `${url.origin}${url.pathname}`.replace(/\/$/, '') : undefined
}
