import { auditQuerySchema } from '../protocol/audit.ts'
import type { ScopeReader } from '../protocol/scope-reader.ts'
import { searchQuerySchema } from '../protocol/search.ts'
import { usageQuerySchema } from '../protocol/usage.ts'
import type { Clock } from '../shared/clock.ts'
import type { Store } from '../store/store.ts'
import { listAudit } from './audit.ts'
import type { PageLimits } from './list.ts'
import { searchScope } from './search.ts'
import { callerIn, check } from './sessions.ts'
import { getUsage } from './usage.ts'

/** For the program that embeds a Parley. Input is checked as it is over HTTP. */
export function createScopeReader(store: Store, clock: Clock, limits: PageLimits): ScopeReader {
  return {
    audit: async (query = {}) => listAudit(store, limits, callerIn(query), check(auditQuerySchema, query)),
    usage: async (query = {}) => getUsage(store, clock, callerIn(query), check(usageQuerySchema, query)),
    search: async (query) => searchScope(store, limits, callerIn(query), check(searchQuerySchema, query)),
  }
}
