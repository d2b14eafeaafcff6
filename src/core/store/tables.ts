import type { RunTables } from './tables/runs.ts'
import type { ScopeTables } from './tables/scopes.ts'
import type { SessionTables } from './tables/sessions.ts'
import type { WindowTables } from './tables/windows.ts'

/** Those of extensions. */
export interface ExtensionTables {}

/** The rows as the database holds them, by family; `migrations/` explains the columns. */
export interface Tables extends ScopeTables, SessionTables, WindowTables, RunTables, ExtensionTables {}
