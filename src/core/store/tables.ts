import type { DocumentTables } from '../../extensions/documents/store/tables.ts'
import type { KnowledgeTables } from '../../extensions/knowledge/store/tables.ts'
import type { MemoryTables } from '../../extensions/memory/store/tables.ts'
import type { PlanTables } from '../../extensions/plan/store/tables.ts'
import type { RoomTables } from '../../extensions/room/store/tables.ts'
import type { RunTables } from './tables/runs.ts'
import type { ScheduleTables } from '../../extensions/schedule/store/tables.ts'
import type { ScopeTables } from './tables/scopes.ts'
import type { SessionTables } from './tables/sessions.ts'
import type { WebhookTables } from '../../extensions/webhook/store/tables.ts'
import type { WindowTables } from './tables/windows.ts'
import type { WorkflowTables } from '../../extensions/workflow/store/tables.ts'

/** The rows as the database holds them, by family; `migrations/` says what the columns mean. */
export interface Tables
  extends
    ScopeTables,
    SessionTables,
    WindowTables,
    RunTables,
    ScheduleTables,
    DocumentTables,
    MemoryTables,
    WorkflowTables,
    PlanTables,
    RoomTables,
    KnowledgeTables,
    WebhookTables {}
