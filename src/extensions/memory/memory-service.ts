import type { Logger } from 'pino'
import type { Hooks } from '../../core/hooks/hooks.ts'
import type { ModelAdapter } from '../../core/models/adapter.ts'
import type { PriceList } from '../../core/runs/budget.ts'
import type { Store } from '../../core/store/store.ts'
import type { VectorSearch } from './vectors.ts'

export interface MemorySettings {
  /** False: nothing is learned, and no turn is given anything. */
  enabled: boolean
  /** Whether turns are learned from; each costs two short model calls. */
  learn: boolean
  /** That learns; default: the one that answered. */
  model?: string
  /** What is known of the user in one scope is known in all. */
  shareUser: boolean
  /** `openai/…`: memories are searched by meaning too. */
  embeddingModel?: string
  /** Most memories of models in one place: of a scope, of its user, or of a session. */
  maxPerLayer: number
}

export const defaultMemorySettings: MemorySettings = {
  enabled: true,
  learn: true,
  shareUser: false,
  maxPerLayer: 2_000,
}

export interface MemoryDeps {
  store: Store
  requireModel(id: string | undefined): ModelAdapter
  settings: MemorySettings
  vectors?: VectorSearch
  prices?: PriceList
  hooks?: Pick<Hooks, 'of'>
  logger: Logger
}
