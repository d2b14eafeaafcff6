import type { Hooks } from '../hooks/hooks.ts'
import { defaultMemorySettings, type MemorySettings } from '../../extensions/memory/deps.ts'
import { createMemory } from '../../extensions/memory/memory.ts'
import { createVectorSearch } from '../../extensions/memory/vectors.ts'
import { createEmbedder, type Embedder } from '../models/embedding.ts'
import type { ModelRegistry } from '../models/registry.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { Base } from './base.ts'
import type { ParleyOptions } from './options.ts'

/** What is remembered beyond the log, and the model that finds things by their meaning. */
export function composeMemory(base: Base, options: ParleyOptions, hooks: Hooks) {
  const { store, registry, requireModel, logger } = base
  const settings: MemorySettings = {
    ...defaultMemorySettings,
    enabled: options.memory !== undefined,
    ...options.memory,
    // what costs model calls is not done unasked
    learn: options.memory?.learn ?? options.memory?.model !== undefined,
  }
  const embedder = openEmbedder(registry, settings, options.models?.fetch)
  const vectors = embedder && createVectorSearch(store, embedder, logger)
  const { prices } = options
  const memory = createMemory({ store, requireModel, settings, vectors, prices, hooks, logger })
  return { ...memory, settings, embedder, vectors }
}

/** Undefined where nobody named an embedding model. */
function openEmbedder(
  registry: ModelRegistry,
  { embeddingModel }: MemorySettings,
  fetch: typeof globalThis.fetch | undefined,
): Embedder | undefined {
  if (embeddingModel === undefined) return undefined
  const provider = embeddingModel.slice(0, embeddingModel.indexOf('/'))
  const readSettings = () => {
    const found = registry.providers().find(({ name }) => name === provider)
    if (!found)
      throw invalidRequest(`memory.embeddingModel: there is no provider ${JSON.stringify(provider)}.`)
    return found.settings
  }
  return createEmbedder(embeddingModel, readSettings, fetch)
}
