import { workflowFacets } from '../facets.ts'
import { workflowRunSource } from '../protocol/session-kinds.ts'
import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { workflowProgressQueries, type WorkflowProgressQueries } from './workflow-progress.ts'
import { failSteps, listStepsBelow, workflowRunQueries, type WorkflowRunQueries } from './workflow-runs.ts'
import { workflowQueries, type WorkflowQueries } from './workflows.ts'
import type { WorkflowTables } from './tables.ts'

export const workflowStore: StoreSlice = {
  name: 'workflow',
  facets: workflowFacets,
  migrations: 'src/extensions/workflow/store/migrations',
  sharedThrough: 21,
  queries: [workflowProgressQueries, workflowRunQueries, workflowQueries],
  sessionReferences: { workflows: 'management_session_id' },
  async sessionDeleted(tx, { scope, id }) {
    const steps = await listStepsBelow(tx, scope, id)
    return () => failSteps(tx, steps)
  },
  runs: { kind: 'workflow', source: workflowRunSource, stepSource: 'workflow' },
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends WorkflowProgressQueries, WorkflowRunQueries, WorkflowQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends WorkflowTables {}
}
