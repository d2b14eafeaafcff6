import type { CredentialFile } from '../models/credential-file.ts'
import type { ConfiguredProvider, StoredProvider } from '../models/registry.ts'
import { conflict, invalidRequest, notFound, ParleyError, quote } from '../protocol/error.ts'
import {
  defaultProviderKind,
  isBuiltInProvider,
  isNewProviderName,
  type Provider,
  providerNameRule,
  type ProviderName,
  type PutProvider,
} from '../protocol/models.ts'
import type { Caller } from '../sessions/caller.ts'
import type { StoreOperations } from '../store/store.ts'
import type { CatalogueDeps } from './open-catalogue.ts'
import { toProvider } from './models.ts'

/** Without asking any of them for anything. */
export const listProviders = ({ registry }: CatalogueDeps): Provider[] => registry.providers().map(toProvider)

/**
 * Replaces what is stored for a provider, or adds one under a name of its own; the next request uses it, unless the
 * configuration says otherwise.
 */
export async function putProvider(
  deps: CatalogueDeps,
  tx: StoreOperations,
  caller: Caller,
  name: string,
  input: PutProvider,
): Promise<Provider> {
  requireAllScopes(caller)
  const known = findProvider(deps, name)
  if (!known) requireFree(deps, name)
  const settings = isBuiltInProvider(name) ? toBuiltIn(name, input) : toNamed(name, input)
  await change(deps, tx, caller, name, settings)
  return toProvider(requireProvider(deps, name))
}

/** Forgets what is stored; when nothing is, nothing happens. */
export async function deleteProvider(
  deps: CatalogueDeps,
  tx: StoreOperations,
  caller: Caller,
  name: string,
): Promise<void> {
  requireAllScopes(caller)
  requireProvider(deps, name)
  const stored = await requireCredentials(deps).read()
  if (stored[name]) await change(deps, tx, caller, name, undefined)
}

/** Who did it is recorded, and that there is a key; never the key. */
async function change(
  deps: CatalogueDeps,
  store: StoreOperations,
  { scope, actor }: Caller,
  name: string,
  settings: StoredProvider | undefined,
): Promise<void> {
  const credentials = requireCredentials(deps)
  await store.transaction(async (tx) => {
    await tx.recordAudit(scope, {
      actor,
      action: settings ? 'update' : 'delete',
      resourceType: 'provider',
      resourceId: name,
      detail: { fields: Object.keys(settings ?? {}) },
    })
    deps.registry.useStored(await credentials.put(name, settings))
  })
  void deps.findDefaultModel()
}

/** Keys are those of the whole server: a key that is bound to some scopes must not change them for others. */
export function requireAllScopes({ seesAllScopes }: Caller): void {
  if (!seesAllScopes)
    throw new ParleyError('forbidden', 'Providers are for keys that are not bound to scopes.')
}

const findProvider = ({ registry }: CatalogueDeps, name: string): ConfiguredProvider | undefined =>
  registry.providers().find((known) => known.name === name)

export function requireProvider(deps: CatalogueDeps, name: string): ConfiguredProvider {
  const provider = findProvider(deps, name)
  if (!provider) throw notFound('provider', name)
  return provider
}

/** A name is the first part of the ids of its models. */
function requireFree({ registry }: CatalogueDeps, name: string): void {
  if (registry.has(name))
    throw invalidRequest(`There is an adapter ${quote(name)} already: choose another name for the provider.`)
  if (!isNewProviderName(name))
    throw invalidRequest(`The name of a provider must have ${providerNameRule}, not ${quote(name)}.`)
}

function toBuiltIn(name: ProviderName, { kind, ...settings }: PutProvider): StoredProvider {
  const { apiKey, baseUrl } = settings
  if (kind !== undefined && kind !== name)
    throw invalidRequest(
      `"kind" is for a provider with a name of its own: ${name} speaks what it always does.`,
    )
  if (name === 'ollama' && apiKey !== undefined)
    throw invalidRequest('Ollama takes no key; give its "baseUrl" alone.')
  if (name === 'ollama' && baseUrl === undefined)
    throw invalidRequest('Ollama needs a "baseUrl", such as http://127.0.0.1:11434.')
  if (name === 'google' && apiKey === undefined)
    throw invalidRequest('The provider google needs an "apiKey".')
  if (name === 'anthropic' && apiKey === undefined && baseUrl === undefined)
    throw invalidRequest(
      'The provider anthropic needs an "apiKey", or the "baseUrl" of a server without one.',
    )
  if (apiKey === undefined && baseUrl === undefined)
    throw invalidRequest('Give an "apiKey", a "baseUrl", or both.')
  return settings
}

function toNamed(name: string, { kind = defaultProviderKind, baseUrl, apiKey }: PutProvider): StoredProvider {
  if (baseUrl === undefined)
    throw invalidRequest(`The provider ${quote(name)} needs a "baseUrl", such as http://127.0.0.1:8080/v1.`)
  return { kind, baseUrl, ...(apiKey !== undefined && { apiKey }) }
}

function requireCredentials({ credentials }: CatalogueDeps): CredentialFile {
  if (!credentials)
    throw conflict(
      'This Parley has no data folder of its own to keep keys in: with PostgreSQL there may be other nodes. Set them in the environment or the config file of each node.',
    )
  return credentials
}
