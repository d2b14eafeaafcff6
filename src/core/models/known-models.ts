import { isBuiltInProvider, type ModelFacts, type ModelPrice } from '../protocol/models.ts'
import { knownServers } from './known-servers.ts'
import type { ConfiguredProvider, ModelRegistry } from './registry.ts'

/** What `known-models.json` has of a model. */
export type KnownModel = ModelFacts

export interface KnownModelList {
  /** The package that it is made from. */
  source: string
  /** Models by id, by the names in `knownServers`. */
  providers: Readonly<Record<string, Readonly<Record<string, KnownModel>>>>
}

/** What is known of models: what the settings say, and below it the list that comes with Parley. */
export interface KnownModels {
  /**
   * Reads the list, once; undefined when that is done, or when no provider that is set up is in it. Until then only the
   * settings are known.
   */
  load(): Promise<void> | undefined
  /** Undefined when nothing is known. */
  of(id: string): ModelFacts | undefined
  /** Undefined when it has no price: that is not the same as nothing. */
  priceOf(id: string): ModelPrice | undefined
  /** Whether any model that can be used has a price, so that money can be counted. */
  readonly hasPrices: boolean
}

export interface KnownModelsOptions {
  registry: Pick<ModelRegistry, 'providers'>
  /** Of the settings, by id. */
  facts?: Readonly<Record<string, ModelFacts>>
  prices?: Readonly<Record<string, ModelPrice>>
}

export function createKnownModels({ registry, facts = {}, prices = {} }: KnownModelsOptions): KnownModels {
  let list: KnownModelList['providers'] = {}
  let loading: Promise<void> | undefined
  let isLoaded = false
  // a server that several providers name is looked up by each answer of a model
  const servers = new Map<string, string | undefined>()

  const serverOf = ({ name, settings: { baseUrl } }: ConfiguredProvider): string | undefined => {
    if (!baseUrl) return isBuiltInProvider(name) && name !== 'ollama' ? name : undefined
    if (!servers.has(baseUrl)) servers.set(baseUrl, knownServers[URL.parse(baseUrl)?.hostname ?? ''])
    return servers.get(baseUrl)
  }

  const isUseful = () =>
    registry.providers().some((provider) => provider.isConfigured && serverOf(provider) !== undefined)

  function findListed(id: string): KnownModel | undefined {
    const slash = id.indexOf('/')
    const given = id.slice(0, slash)
    const name = given === 'gemini' ? 'google' : given
    const provider = registry.providers().find((known) => known.name === name)
    const models = provider && list[serverOf(provider) ?? '']
    return models && findModel(models, id.slice(slash + 1))
  }

  const known: KnownModels = {
    load() {
      if (isLoaded || !isUseful()) return undefined
      return (loading ??= import('./known-models.json', { with: { type: 'json' } }).then((module) => {
        list = (module.default as KnownModelList).providers
        isLoaded = true
      }))
    },
    of(id) {
      const listed = findListed(id)
      const own = Object.hasOwn(facts, id) ? facts[id] : undefined
      const price = Object.hasOwn(prices, id) ? prices[id] : undefined
      if (!listed && !own && !price) return undefined
      return { ...listed, ...own, ...(price && { price }) }
    },
    priceOf: (id) => known.of(id)?.price,
    get hasPrices() {
      return Object.keys(prices).length > 0 || Object.values(facts).some(({ price }) => price) || isUseful()
    },
  }
  return known
}

const dated = /-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/** The model itself, or the one that it is a dated version of. */
function findModel(models: Readonly<Record<string, KnownModel>>, model: string): KnownModel | undefined {
  for (const name of [model, model.replace(dated, '')]) if (Object.hasOwn(models, name)) return models[name]
  return undefined
}
