import type { Logger } from 'pino'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import type { Store } from '../../core/store/store.ts'
import type { EntityVectors } from './vectors.ts'

/** What knowledge works with. */
export interface KnowledgeDeps {
  store: Store
  background: Pick<BackgroundManager, 'triggerIn'>
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** Where entities are found by meaning too. */
  vectors?: EntityVectors
  logger: Logger
}
