import type { DocumentTables } from './tables/documents.ts'
import type { KnowledgeTables } from './tables/knowledge.ts'
import type { MemoryTables } from './tables/memories.ts'
import type { PlanTables } from './tables/plans.ts'
import type { RoomTables } from './tables/rooms.ts'
import type { RunTables } from './tables/runs.ts'
import type { ScheduleTables } from './tables/schedule.ts'
import type { ScopeTables } from './tables/scopes.ts'
import type { SessionTables } from './tables/sessions.ts'
import type { WebhookTables } from './tables/webhooks.ts'
import type { WindowTables } from './tables/windows.ts'
import type { WorkflowTables } from './tables/workflows.ts'

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
