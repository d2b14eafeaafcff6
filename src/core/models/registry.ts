import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { type Model, type ProviderName, providerNames } from '../protocol/models.ts'
import type { ModelAdapter } from './adapter.ts'
import { withVersion } from './base-url.ts'
import { createChatCompletionsAdapter } from './chat-completions.ts'
import { createDemoAdapter } from './demo.ts'
import type { ReadDemoPart } from './demo-turn.ts'
import {
  createAnthropicAdapter,
  createCompatibleAdapter,
  createGoogleAdapter,
  createOpenAiAdapter,
} from './hosted-adapters.ts'
import { createKeyMask, makeProgramAdapter } from './program-adapter.ts'

export interface ModelSettings {
  /** Model of those who name none, as `adapter/model`. */
  model?: string
  openai: { apiKey?: string; baseUrl?: string }
  anthropic: { apiKey?: string; baseUrl?: string }
  gemini: { apiKey?: string; baseUrl?: string }
  ollama: { host?: string }
  /** Carries every request to a provider; default: the means of Node. */
  fetch?: typeof fetch
  /** More adapters by name; one of a known name takes its place. */
  extra?: Record<string, (model: string) => ModelAdapter>
}

interface RegistryParts {
  /** What the demo model knows of extensions. */
  demo?: readonly ReadDemoPart[]
}

/** Key and address of one provider. */
export interface ProviderSettings {
  apiKey?: string
  baseUrl?: string
}

export type StoredProviders = Partial<Record<ProviderName, ProviderSettings>>

/** A provider with what is used for it: not for answers, it holds the key. */
export interface ConfiguredProvider {
  name: ProviderName
  settings: ProviderSettings
  source: 'environment' | 'stored' | 'none'
  isConfigured: boolean
}

export interface ModelRegistry {
  readonly defaultId: string
  /** The adapter behind `adapter/model`, or behind the default. Throws when there is none, or no key for it. */
  require(id?: string): ModelAdapter
  /** All that there are, whether they can be used or not. */
  adapterNames(): string[]
  /** One model per adapter, the configured one first; others of the same adapter can be requested as well. */
  list(): Model[]
  /** Those that can be configured; one whose place another adapter took is left out. */
  providers(): ConfiguredProvider[]
  /**
   * Takes over what was stored for providers; running requests keep what they began with. A provider of which the
   * settings contain anything is left as configured: a stored address must not get a key that was meant for another.
   */
  useStored(stored: StoredProviders): void
}

interface Source {
  create(model: string): ModelAdapter
  /** The model to offer, and to use when nothing else is configured; none where no name is sure to exist. */
  usual?: string
  /** What is missing, as a sentence; undefined when the adapter can be used. */
  missing?: string
}

// adapters are kept for their connections; names come from clients, so there must be an end to it
const maxKeptAdapters = 100
const localOllama = 'http://127.0.0.1:11434'

export function createModelRegistry(settings: ModelSettings, parts: RegistryParts = {}): ModelRegistry {
  let providers = layProviders(settings, {})
  let sources = createSources(providers, settings, parts)
  const kept = new Map<string, ModelAdapter>()

  const registry: ModelRegistry = {
    get defaultId() {
      return settings.model ?? findDefault(sources)
    },
    require(id = registry.defaultId) {
      const { name, model } = requireName(id, sources)
      const key = `${name}/${model}`
      const known = kept.get(key)
      if (known) return known
      const { create, missing } = sources.get(name)!
      if (missing)
        throw new ParleyError('adapter_unavailable', `The model ${quote(id)} cannot be used: ${missing}`)
      const adapter = create(model)
      if (kept.size >= maxKeptAdapters) kept.delete(kept.keys().next().value!)
      kept.set(key, adapter)
      return adapter
    },
    adapterNames: () => [...sources.keys()],
    list() {
      const ids = [...sources].flatMap(([name, { usual }]) => (usual ? [`${name}/${usual}`] : []))
      return [...new Set([registry.defaultId, ...ids])].map((id) => {
        const adapter = nameOf(id)
        const source = sources.get(adapter)
        const reason = source ? source.missing : `there is no adapter ${quote(adapter)}`
        return { id, adapter, available: reason === undefined, ...(reason && { reason }) }
      })
    },
    providers: () => providers.filter(({ name }) => !Object.hasOwn(settings.extra ?? {}, name)),
    useStored(stored) {
      providers = layProviders(settings, stored)
      sources = createSources(providers, settings, parts)
      kept.clear()
    },
  }
  return registry
}

function layProviders(
  { openai, anthropic, gemini, ollama }: ModelSettings,
  stored: StoredProviders,
): ConfiguredProvider[] {
  const given = { openai, anthropic, google: gemini, ollama: { baseUrl: ollama.host } }
  return providerNames.map((name) => {
    const source = isGiven(given[name]) ? 'environment' : isGiven(stored[name]) ? 'stored' : 'none'
    const settings: ProviderSettings = (source === 'stored' ? stored[name] : given[name]) ?? {}
    // any other server may do without one
    const needsKey = name === 'anthropic' || name === 'google'
    return { name, settings, source, isConfigured: isGiven(settings) && (!needsKey || !!settings.apiKey) }
  })
}

const isGiven = ({ apiKey, baseUrl }: ProviderSettings = {}) => Boolean(apiKey || baseUrl)

/** In the order in which a default is chosen. */
function createSources(
  providers: ConfiguredProvider[],
  { fetch, extra }: Pick<ModelSettings, 'fetch' | 'extra'>,
  { demo }: RegistryParts,
): Map<string, Source> {
  const settingsOf = (name: ProviderName) => providers.find((provider) => provider.name === name)!.settings
  const openai = settingsOf('openai')
  const anthropic = settingsOf('anthropic')
  const google = settingsOf('google')
  const ollama = settingsOf('ollama')
  const needs = (variable: string, key: string | undefined) =>
    key ? {} : { missing: `set ${variable} to a key of this provider.` }
  const chat = (id: string, model: string, baseUrl: string, apiKey?: string) =>
    fetch
      ? createCompatibleAdapter(id, model, { baseUrl, apiKey: apiKey ?? '', fetch })
      : createChatCompletionsAdapter(id, model, { baseUrl, apiKey })

  const sources: Record<string, Source> = {
    openai: openai.baseUrl
      ? { create: (model) => chat(`openai/${model}`, model, openai.baseUrl!, openai.apiKey) }
      : {
          create: (model) => createOpenAiAdapter(model, { apiKey: openai.apiKey!, fetch }),
          usual: 'gpt-6-astra',
          ...needs('OPENAI_API_KEY', openai.apiKey),
        },
    anthropic: {
      create: (model) =>
        createAnthropicAdapter(model, { apiKey: anthropic.apiKey!, baseUrl: anthropic.baseUrl, fetch }),
      usual: 'claude-sonnet-5-5',
      ...needs('ANTHROPIC_API_KEY', anthropic.apiKey),
    },
    google: {
      create: (model) =>
        createGoogleAdapter(model, { apiKey: google.apiKey!, baseUrl: google.baseUrl, fetch }),
      usual: 'gemini-4-argon',
      ...needs('GEMINI_API_KEY', google.apiKey),
    },
    ollama: {
      create: (model) => chat(`ollama/${model}`, model, withVersion(ollama.baseUrl ?? localOllama)),
    },
    demo: { create: (model) => createDemoAdapter(`demo/${model}`, { parts: demo }), usual: 'parley' },
  }
  const hideKeys = createKeyMask(providers.flatMap(({ settings }) => settings.apiKey ?? []))
  for (const [name, create] of Object.entries(extra ?? {}))
    sources[name] = {
      usual: sources[name]?.usual,
      create: (model) => makeProgramAdapter(name, create, model, hideKeys),
    }
  return new Map(Object.entries(sources))
}

/** The demo needs nothing, so there always is one. */
function findDefault(sources: Map<string, Source>): string {
  const [name, { usual }] = [...sources].find(([, source]) => source.usual && !source.missing)!
  return `${name}/${usual}`
}

function nameOf(id: string): string {
  const name = id.slice(0, Math.max(0, id.indexOf('/')))
  return name === 'gemini' ? 'google' : name
}

function requireName(id: string, sources: Map<string, Source>): { name: string; model: string } {
  const name = nameOf(id)
  const model = id.slice(id.indexOf('/') + 1)
  if (!name || !model)
    throw invalidRequest(`The model ${quote(id)} must be given as adapter/model, such as demo/parley.`)
  if (!sources.has(name)) {
    const known = [...sources.keys()]
    throw invalidRequest(`There is no adapter for the model ${quote(id)}. Known: ${known.join(', ')}.`, {
      known,
    })
  }
  return { name, model }
}
