import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import {
  defaultProviderKind,
  isBuiltInProvider,
  type Model,
  type ModelFacts,
  type NamedProviderKind,
  type ProviderName,
  providerNames,
} from '../protocol/models.ts'
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
import type { ReadTraceContext } from './trace-context.ts'

export interface ModelSettings {
  /** Model of those who name none, as `adapter/model`. */
  model?: string
  openai: { apiKey?: string; baseUrl?: string }
  anthropic: { apiKey?: string; baseUrl?: string }
  gemini: { apiKey?: string; baseUrl?: string }
  ollama: { host?: string }
  /** Servers with names of their own, whose models are `name/model`. */
  providers?: Readonly<Record<string, NamedProvider>>
  /** What is known of models, by id; goes before the list that comes with Parley. */
  facts?: Readonly<Record<string, ModelFacts>>
  /** Carries every request to a provider; default: the means of Node. */
  fetch?: typeof fetch
  /** More adapters by name; one of a known name takes its place. */
  extra?: Record<string, (model: string) => ModelAdapter>
}

interface RegistryParts {
  /** Sent along with each request to a provider. */
  traceContext?: ReadTraceContext
  /** What the demo model knows of extensions. */
  demo?: readonly ReadDemoPart[]
}

/** Key and address of one provider. */
export interface ProviderSettings {
  apiKey?: string
  baseUrl?: string
}

/** A server that copies one of two APIs. */
export interface NamedProvider {
  /** What it speaks: `openai`, which is Chat Completions and the default, or `anthropic`, which is Messages. */
  kind?: NamedProviderKind
  baseUrl: string
  apiKey?: string
}

/** What is stored for a provider; one with a name of its own has a kind and an address. */
export type StoredProvider = ProviderSettings & { kind?: NamedProviderKind }
export type StoredProviders = Readonly<Record<string, StoredProvider>>

/** A provider with what is used for it: not for answers, it holds the key. */
export interface ConfiguredProvider {
  name: string
  /** What it speaks; of a built-in provider its own name. */
  kind: ProviderName
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
  /** Whether there is an adapter of this name, whoever it comes from. */
  has(name: string): boolean
  /** Those that can be configured; one whose place another adapter took is left out. */
  providers(): ConfiguredProvider[]
  /**
   * Takes over what was stored for providers; running requests keep what they began with. A provider of which the
   * settings contain anything is left as configured: a stored address must not get a key that was meant for another.
   */
  useStored(stored: StoredProviders): void
  /**
   * Takes over which models the server of a provider has: one of them is its default where no name is sure to exist. A
   * `problem` is why it is not known; nothing else is used in its place then.
   */
  useListed(name: string, models: readonly string[], problem?: string): void
  /** A provider that would have the default, had its server said which models it has. */
  readonly waitsFor: ConfiguredProvider | undefined
}

interface Source {
  create(model: string): ModelAdapter
  /** The model to offer, and to use when nothing else is configured; none where no name is sure to exist. */
  usual?: string
  /** The server behind an address that was set knows which models it has; those that it lists go before `usual`. */
  isListed?: boolean
  /** Of those that it lists; default: `usual`, then the first. */
  preferred?: string
  /** What is missing, as a sentence; undefined when the adapter can be used. */
  missing?: string
}

// adapters are kept for their connections; names come from clients, so there must be an end to it
const maxKeptAdapters = 100
const usualOpenAi = 'gpt-6-astra'
const localOllama = 'http://127.0.0.1:11434'

export function createModelRegistry(settings: ModelSettings, parts: RegistryParts = {}): ModelRegistry {
  let providers = layProviders(settings, {})
  let sources = createSources(providers, settings, parts)
  const kept = new Map<string, ModelAdapter>()
  const listed = new Map<string, string>()
  const problems = new Map<string, string>()
  const usualOf = (name: string, { usual, isListed }: Source): string | undefined =>
    (isListed ? listed.get(name) : undefined) ?? usual
  /** The demo needs nothing, so there always is one. */
  const findFirst = (isWanted: (name: string, source: Source) => boolean): [string, Source] =>
    [...sources].find(([name, source]) => !source.missing && isWanted(name, source))!

  const registry: ModelRegistry = {
    get defaultId() {
      if (settings.model !== undefined) return settings.model
      const [name, source] = findFirst((...one) => usualOf(...one) !== undefined)
      return `${name}/${usualOf(name, source)}`
    },
    get waitsFor() {
      if (settings.model !== undefined) return undefined
      const [name, source] = findFirst((...one) => one[1].isListed === true || usualOf(...one) !== undefined)
      return source.isListed && !listed.has(name)
        ? providers.find((provider) => provider.name === name)
        : undefined
    },
    has: (name) => sources.has(name),
    useListed(name, models, problem) {
      if (problem === undefined) problems.delete(name)
      else problems.set(name, problem)
      const { usual, preferred = usual } = sources.get(name) ?? {}
      const listedOne = models.find((model) => model === preferred) ?? models.find(isForChats)
      // a server without a list is taken for one of the provider itself
      const chosen = listedOne ?? (models.length === 0 ? usual : undefined)
      if (chosen === undefined) listed.delete(name)
      else listed.set(name, chosen)
    },
    require(given) {
      const waitsFor = given === undefined ? registry.waitsFor?.name : undefined
      const problem = waitsFor === undefined ? undefined : problems.get(waitsFor)
      if (problem !== undefined)
        throw new ParleyError(
          'adapter_unavailable',
          `No model is set, and the server of ${waitsFor} has not said which it has: ${problem} Set "model", or try again.`,
        )
      const id = given ?? registry.defaultId
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
      const ids = [...sources].flatMap(([name, source]) => {
        const usual = usualOf(name, source)
        return usual ? [`${name}/${usual}`] : []
      })
      return [...new Set([registry.defaultId, ...ids])].map((id) => {
        const adapter = nameOf(id)
        const source = sources.get(adapter)
        const reason = source ? source.missing : `there is no adapter ${quote(adapter)}`
        return { id, adapter, available: reason === undefined, ...(reason && { reason }) }
      })
    },
    providers: () => providers.filter(({ name }) => !Object.hasOwn(settings.extra ?? {}, name)),
    useStored(stored) {
      const before = providers
      providers = layProviders(settings, stored)
      sources = createSources(providers, settings, parts)
      kept.clear()
      for (const name of listed.keys())
        if (!isSame(before.find(isNamed(name)), providers.find(isNamed(name)))) listed.delete(name)
    },
  }
  return registry
}

function layProviders(
  { openai, anthropic, gemini, ollama, providers = {} }: ModelSettings,
  stored: StoredProviders,
): ConfiguredProvider[] {
  const given: StoredProviders = {
    ...providers,
    openai,
    anthropic,
    google: gemini,
    ollama: { baseUrl: ollama.host },
  }
  const names = new Set([...providerNames, ...Object.keys(providers), ...Object.keys(stored)])
  return [...names].map((name) => {
    const source = isGiven(given[name]) ? 'environment' : isGiven(stored[name]) ? 'stored' : 'none'
    const { kind = defaultProviderKind, ...settings } =
      (source === 'stored' ? stored[name] : given[name]) ?? {}
    // any other server may do without one
    const needsKey = name === 'google' || (name === 'anthropic' && !settings.baseUrl)
    return {
      name,
      kind: isBuiltInProvider(name) ? name : kind,
      settings,
      source,
      isConfigured: isGiven(settings) && (!needsKey || !!settings.apiKey),
    }
  })
}

const isNamed =
  (wanted: string) =>
  ({ name }: ConfiguredProvider) =>
    name === wanted

/** Whether the same server would be asked, with the same key. */
const isSame = (one: ConfiguredProvider | undefined, other: ConfiguredProvider | undefined) =>
  one !== undefined &&
  one.kind === other?.kind &&
  one.settings.apiKey === other.settings.apiKey &&
  one.settings.baseUrl === other.settings.baseUrl

const isGiven = ({ apiKey, baseUrl }: ProviderSettings = {}) => Boolean(apiKey || baseUrl)

/** In the order in which a default is chosen. */
function createSources(
  providers: ConfiguredProvider[],
  { fetch, extra }: Pick<ModelSettings, 'fetch' | 'extra'>,
  { demo, traceContext }: RegistryParts,
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
      ? createCompatibleAdapter(id, model, { baseUrl, apiKey: apiKey ?? '', fetch, traceContext })
      : createChatCompletionsAdapter(id, model, { baseUrl, apiKey, traceContext })

  const named = providers.filter(({ name }) => !isBuiltInProvider(name))
  const sources: Record<string, Source> = {
    openai: openai.baseUrl
      ? {
          create: (model) => chat(`openai/${model}`, model, openai.baseUrl!, openai.apiKey),
          isListed: true,
          preferred: usualOpenAi,
        }
      : {
          create: (model) => createOpenAiAdapter(model, { apiKey: openai.apiKey!, fetch, traceContext }),
          usual: usualOpenAi,
          ...needs('OPENAI_API_KEY', openai.apiKey),
        },
    anthropic: {
      create: (model) =>
        createAnthropicAdapter(model, {
          apiKey: anthropic.apiKey ?? '',
          baseUrl: anthropic.baseUrl,
          fetch,
          traceContext,
        }),
      usual: 'claude-sonnet-5-5',
      ...(anthropic.baseUrl ? { isListed: true } : needs('ANTHROPIC_API_KEY', anthropic.apiKey)),
    },
    google: {
      create: (model) =>
        createGoogleAdapter(model, {
          apiKey: google.apiKey!,
          baseUrl: google.baseUrl,
          fetch,
          traceContext,
        }),
      usual: 'gemini-4-argon',
      ...needs('GEMINI_API_KEY', google.apiKey),
    },
    ollama: {
      create: (model) => chat(`ollama/${model}`, model, withVersion(ollama.baseUrl ?? localOllama)),
    },
    ...Object.fromEntries(
      named.map(({ name, kind, settings: { apiKey, baseUrl = '' } }): [string, Source] => [
        name,
        {
          create: (model) =>
            kind === 'anthropic'
              ? createAnthropicAdapter(model, { name, apiKey: apiKey ?? '', baseUrl, fetch })
              : chat(`${name}/${model}`, model, baseUrl, apiKey),
          isListed: true,
        },
      ]),
    ),
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

/** Servers list all their models, and the first of them may be for something else. */
const isForChats = (model: string) =>
  !/embed|rerank|whisper|transcri|speech|\btts\b|moderation|guard|image|video|dall-e|realtime|audio/i.test(
    model,
  )

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
