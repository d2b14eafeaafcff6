import { operationsOf } from '../operations/operation.ts'
import { auditPageSchema, auditQuerySchema } from '../protocol/audit.ts'
import { searchPageSchema, searchQuerySchema } from '../protocol/search.ts'
import { usagePageSchema, usageQuerySchema } from '../protocol/usage.ts'
import type { Clock } from '../shared/clock.ts'
import { listAudit } from '../sessions/audit.ts'
import { searchScope } from '../sessions/search.ts'
import { getUsage } from '../sessions/session-usage.ts'

/** Who did what, newest first, one page. */
export const audit = operationsOf<unknown>('audit').read('/api/audit', {
  summary: 'List who did what, newest first, also in deleted sessions',
  input: auditQuerySchema,
  output: auditPageSchema,
  returns: 'A page of the audit',
  run: ({ tx, pages, caller }, _, filter) => listAudit(tx, pages, caller, filter),
})

/** What models were asked and what it took, by day, model and kind of run. */
export const usage = operationsOf<{ clock: Clock }>('usage').read('/api/usage', {
  summary: 'Get the usage of models by day, model and kind of run',
  input: usageQuerySchema,
  output: usagePageSchema,
  returns: 'Totals of each day, and of all',
  run: ({ tx, deps, caller }, _, query) => getUsage(tx, deps.clock, caller, query),
})

/** Messages that hold all the words, newest first. */
export const search = operationsOf<unknown>('search').read('/api/search', {
  summary: 'Search messages that contain all the words, newest first',
  input: searchQuerySchema,
  output: searchPageSchema,
  returns: 'What was found, and where',
  run: ({ tx, pages, caller }, _, query) => searchScope(tx, pages, caller, query),
})
