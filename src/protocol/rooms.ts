import type { InScope } from './names.ts'

export interface RoundListQuery extends InScope {
  /** Only those of this run. */
  run?: string
  limit?: number
  cursor?: string
}
