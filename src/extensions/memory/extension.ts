import { defineExtension } from '../../core/extension.ts'
import { createEmbedder, type Embedder } from '../../core/models/embedding.ts'
import { findEmbeddingServer } from '../../core/models/embedding-request.ts'
import { count, filledText, flag, optionGroup } from '../../core/protocol/options.ts'
import { defaultMemorySettings, type MemorySettings } from './memory-service.ts'
import { memoryHookEvents } from './hook-events.ts'
import { createMemoryTool } from './memory-tool.ts'
import { createMemory } from './memory.ts'
import { memoryOperations } from './operations.ts'
import { memorySource, memoryTurnHooks } from './turn-memory.ts'
import { createVectorSearch } from './vectors.ts'
import { documents } from '../documents/extension.ts'
import { memoryStore } from './store/slice.ts'

interface MemoryOptions {
  /** Learns from turns for later ones, which costs model calls: `{}` for the defaults; left out, memory is off. */
  memory?: Partial<MemorySettings>
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends MemoryOptions {}
}

export interface MemoryService {
  /** Finds things by their meaning; undefined where nobody named an embedding model. */
  embedder?: Embedder
}

/** What is remembered beyond the log. */
export const memory = defineExtension<MemoryService>({
  name: 'memory',
  store: memoryStore,
  // what documents say is remembered too
  needs: [documents],
  references: { memory: ['memory', '记忆'] },
  toolNames: ['memory'],
  options: {
    memory: optionGroup<MemorySettings>({
      enabled: flag,
      learn: flag,
      model: filledText,
      shareUser: flag,
      embeddingModel: filledText,
      maxPerLayer: count,
    }),
  },
  hookEvents: memoryHookEvents,
  create({ store, registry, knownModels, requireModel, hooks, logger, traceContext }, { options }) {
    const settings: MemorySettings = {
      ...defaultMemorySettings,
      enabled: options.memory !== undefined,
      ...options.memory,
      // what costs model calls is not done unasked
      learn: options.memory?.learn ?? options.memory?.model !== undefined,
    }
    const { embeddingModel: embedding } = settings
    const embedder =
      embedding === undefined
        ? undefined
        : createEmbedder(
            embedding,
            () => findEmbeddingServer(registry, embedding),
            options.models?.fetch,
            traceContext,
          )
    const vectors = embedder && createVectorSearch(store, embedder, logger)
    const kept = createMemory({ store, requireModel, settings, vectors, prices: knownModels, hooks, logger })
    return {
      service: { embedder },
      operations: { memories: { operations: memoryOperations, deps: { vectors } } },
      tools: settings.enabled ? [createMemoryTool(kept.control)] : [],
      prompt: [memorySource(kept.hooks, logger)],
      on: {
        ...memoryTurnHooks(kept.hooks, logger),
        // what was learned from messages that are gone goes with them
        beforeRollback: async (tx, sessionId, messageSeq) => ({
          memories: (await tx.forgetMadeAfter(sessionId, messageSeq)).length,
        }),
      },
      close: () => kept.stop(),
    }
  },
})
