import type { ConfiguredProvider } from '../models/registry.ts'
import { isBuiltInProvider, type Model, type ModelList, type Provider } from '../protocol/models.ts'
import type { Caller } from '../sessions/caller.ts'
import { readScopeSettings } from '../sessions/scope-settings.ts'
import type { CatalogueDeps } from './open-catalogue.ts'

/** What is configured comes first, then what each provider lists. */
export async function listModels(
  { store, registry, lists, knownModels }: CatalogueDeps,
  { scope }: Pick<Caller, 'scope'>,
  { refresh }: { refresh?: boolean },
): Promise<ModelList> {
  const asked = await Promise.all(
    registry.providers().map(async (provider) => ({ provider, ...(await lists.of(provider, { refresh })) })),
  )
  for (const { provider, models } of asked) if (models.length > 0) registry.useListed(provider.name, models)
  const items = new Map<string, Model>(registry.list().map((model) => [model.id, model]))
  for (const { provider, models } of asked)
    for (const model of models) {
      const id = `${provider.name}/${model}`
      if (!items.has(id)) items.set(id, { id, adapter: provider.name, available: true })
    }
  await knownModels.load()
  const { model } = await readScopeSettings(store, scope)
  return {
    items: [...items.values()].map((item) => ({ ...item, ...knownModels.of(item.id) })),
    default: model ?? registry.defaultId,
    providers: asked.map(({ provider, error }) => ({ ...toProvider(provider), ...(error && { error }) })),
    nextCursor: null,
  }
}

/** What may be known of a provider. */
export function toProvider({ name, kind, isConfigured, source, settings }: ConfiguredProvider): Provider {
  const baseUrl = settings.baseUrl && showUrl(settings.baseUrl)
  const isBuiltIn = isBuiltInProvider(name)
  return { name, kind, isBuiltIn, isConfigured, source, ...(baseUrl && { baseUrl }) }
}

/** Without the parts of an address in which people put passwords and keys. */
function showUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url ? `${url.origin}${url.pathname}`.replace(/\/$/, '') : undefined
}
