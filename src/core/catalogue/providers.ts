import type { CredentialFile } from '../models/credential-file.ts'
import type { ProviderSettings } from '../models/registry.ts'
import { conflict, invalidRequest, notFound, ParleyError } from '../protocol/error.ts'
import type { Provider, ProviderName, PutProvider } from '../protocol/models.ts'
import type { Caller } from '../sessions/caller.ts'
import type { StoreOperations } from '../store/store.ts'
import type { CatalogueDeps } from './open-catalogue.ts'
import { toProvider } from './models.ts'

/** Replaces what is stored for a provider; the next request uses it, unless the configuration says otherwise. */
export async function putProvider(
  deps: CatalogueDeps,
  tx: StoreOperations,
  caller: Caller,
  name: string,
  input: PutProvider,
): Promise<Provider> {
  const provider = requireProvider(deps, caller, name)
  requireFitting(provider.name, input)
  await change(deps, tx, caller, provider.name, input)
  return toProvider(requireProvider(deps, caller, name))
}

/** Forgets what is stored; when nothing is, nothing happens. */
export async function deleteProvider(
  deps: CatalogueDeps,
  tx: StoreOperations,
  caller: Caller,
  name: string,
): Promise<void> {
  const provider = requireProvider(deps, caller, name)
  const stored = await requireCredentials(deps).read()
  if (stored[provider.name]) await change(deps, tx, caller, provider.name, undefined)
}

/** Who did it is recorded, and that there is a key; never the key. */
function change(
  deps: CatalogueDeps,
  store: StoreOperations,
  { scope, actor }: Caller,
  name: ProviderName,
  settings: ProviderSettings | undefined,
): Promise<void> {
  const credentials = requireCredentials(deps)
  return store.transaction(async (tx) => {
    await tx.recordAudit(scope, {
      actor,
      action: settings ? 'update' : 'delete',
      resourceType: 'provider',
      resourceId: name,
      detail: { fields: Object.keys(settings ?? {}) },
    })
    deps.registry.useStored(await credentials.put(name, settings))
  })
}

/** Keys are those of the whole server: a key that is bound to some scopes must not change them for others. */
function requireProvider({ registry }: CatalogueDeps, { seesAllScopes }: Caller, name: string) {
  if (!seesAllScopes)
    throw new ParleyError('forbidden', 'Providers are for keys that are not bound to scopes.')
  const provider = registry.providers().find((known) => known.name === name)
  if (!provider) throw notFound('provider', name)
  return provider
}

function requireFitting(name: ProviderName, { apiKey, baseUrl }: PutProvider): void {
  if (name === 'ollama' && apiKey !== undefined)
    throw invalidRequest('Ollama takes no key; give its "baseUrl" alone.')
  if (name === 'ollama' && baseUrl === undefined)
    throw invalidRequest('Ollama needs a "baseUrl", such as http://127.0.0.1:11434.')
  if ((name === 'anthropic' || name === 'google') && apiKey === undefined)
    throw invalidRequest(`The provider ${name} needs an "apiKey".`)
  if (apiKey === undefined && baseUrl === undefined)
    throw invalidRequest('Give an "apiKey", a "baseUrl", or both.')
}

function requireCredentials({ credentials }: CatalogueDeps): CredentialFile {
  if (!credentials)
    throw conflict(
      'This Parley has no data folder of its own to keep keys in: with PostgreSQL there may be other nodes. Set them in the environment of each node.',
    )
  return credentials
}
