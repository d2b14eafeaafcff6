import type { AuditPage, AuditQuery } from './audit.ts'
import type { SearchPage, SearchQuery } from './search.ts'
import type { UsagePage, UsageQuery } from './usage.ts'

/** What one can read of a scope as a whole: the same in the process (`createParley`) and over HTTP (`createClient`). */
export interface ScopeReader {
  /** Who did what, newest first, one page. */
  audit(query?: AuditQuery): Promise<AuditPage>
  /** What models were asked and what it took, by day, model and kind of run. */
  usage(query?: UsageQuery): Promise<UsagePage>
  /** Messages that hold all the words, newest first. */
  search(query: SearchQuery): Promise<SearchPage>
}
