import type { StoreSlice } from '../core/store/store-slice.ts'
import { agentsStore } from './agents/store/slice.ts'
import { documentsStore } from './documents/store/slice.ts'
import { knowledgeStore } from './knowledge/store/slice.ts'
import { mcpStore } from './mcp/store/slice.ts'
import { memoryStore } from './memory/store/slice.ts'
import { planStore } from './plan/store/slice.ts'
import { roomStore } from './room/store/slice.ts'
import { scheduleStore } from './schedule/store/slice.ts'
import { webhookStore } from './webhook/store/slice.ts'
import { workflowStore } from './workflow/store/slice.ts'

/** What the extensions that come with Parley have in the store, in the order in which they are asked. */
export const builtInSlices: readonly StoreSlice[] = [
  scheduleStore,
  documentsStore,
  memoryStore,
  workflowStore,
  planStore,
  knowledgeStore,
  agentsStore,
  roomStore,
  webhookStore,
  mcpStore,
]
