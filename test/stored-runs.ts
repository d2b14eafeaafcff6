import { createHash } from 'node:crypto'
import { workflowRunSource } from '../src/extensions/workflow/protocol/session-kinds.ts'
import type { ScheduleDeps } from '../src/extensions/schedule/schedule-service.ts'
import { settleWorkflowFire, type WorkflowFireEnd } from '../src/extensions/schedule/settle-fire.ts'
import type { Clock } from '../src/core/shared/clock.ts'
import type { Store } from '../src/core/store/store.ts'
import type { RunRequest, StartRunIn } from '../src/extensions/workflow/workflow-service.ts'
import { createTriggeredStart } from '../src/extensions/workflow/start-triggered.ts'

/** Runs of workflows that are stored and go no further, of definitions by the id of their workflow. */
export function createStoredRuns(
  store: Store,
  clock: Clock,
  definitions: ReadonlyMap<string, string>,
): Pick<ScheduleDeps, 'startWorkflow' | 'cancelWorkflow'> {
  return {
    startWorkflow: createTriggeredStart({
      async findDefinition(_tx, _scope, id) {
        const text = definitions.get(id)
        return text === undefined ? undefined : { id, version: 1, text }
      },
      startRunIn: storeRun,
    }),
    cancelWorkflow: async (scope, runId) => {
      const run = await store.getRun(scope, runId)
      await store.transaction(async (tx) => {
        await tx.cancelQueuedRun(scope, runId)
        const { sourceId } = run!.input as RunRequest
        const place = { scope, sessionId: run!.sessionId, cronId: sourceId! }
        await settleWorkflowFire({ clock }, tx, { ...place, outcome: 'cancelled' })
      })
    },
  }
}

const storeRun: StartRunIn = async (tx, request) => {
  const { scope, source, workflow, key = '', parentSessionId } = request
  const session = await tx.createSession({
    id: `ses_${createHash('sha256').update(key).digest('hex').slice(0, 26)}`,
    scope,
    kind: 'tool',
    parentId: parentSessionId,
    toolMeta: { source: workflowRunSource, triggerType: source, workflowDefId: workflow?.id },
  })
  const run = await tx.createRun({ scope, sessionId: session.id, kind: 'workflow', input: request })
  return { session, run }
}

/** Ends the run of a fire. */
export async function endStoredRun(
  store: Store,
  clock: Clock,
  { scope, sessionId, outcome, reason }: Omit<WorkflowFireEnd, 'cronId'>,
): Promise<void> {
  const [open] = await store.listOpenRuns(sessionId)
  const slots = { maxGlobal: 100, maxPerParent: 100 }
  const claimed = await store.claimRun(open!.id, { owner: 'test', leaseMs: 60_000, slots })
  const { sourceId } = open!.input as RunRequest
  await store.transaction(async (tx) => {
    await tx.finishRun(claimed!.lease, { status: outcome })
    await settleWorkflowFire({ clock }, tx, { scope, sessionId, cronId: sourceId!, outcome, reason })
  })
}
