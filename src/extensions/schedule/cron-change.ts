import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import type { CronRecord } from './store/crons.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ScheduleCaller } from './schedule-service.ts'

/** The cron, which nobody else changes or fires until the transaction ends. */
export async function requireLocked(tx: StoreOperations, scope: string, id: string): Promise<CronRecord> {
  const cron = await tx.lockCron(scope, id)
  if (!cron) throw notFound('cron', id)
  return cron
}

/** A cron that belongs to a trigger is changed in the definition of its workflow. */
export function requireFree(noun: string, { id, name, workflowId }: Owned): void {
  if (workflowId !== undefined)
    throw conflict(
      `The ${noun} ${quote(id)} belongs to the workflow ${quote(name)}; change its triggers instead.`,
      { workflowId },
    )
}

type Owned = Pick<CronRecord, 'id' | 'name' | 'workflowId'>

export function auditCron(
  tx: StoreOperations,
  { scope, actor, sessionId }: ScheduleCaller,
  action: string,
  { id, name }: CronRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const resource = { resourceType: 'cron', resourceId: id, sessionId }
  return tx.recordAudit(scope, { actor, action, ...resource, detail: { name, ...detail } })
}

/** The event last: others wait for the row of the scope. It names the session of the model that did it, which hooks check. */
export async function recordChange(
  tx: StoreOperations,
  caller: ScheduleCaller,
  done: 'created' | 'updated' | 'deleted' | 'paused' | 'resumed',
  cron: CronRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await auditCron(tx, caller, done.replace(/d$/, ''), cron, detail)
  await tx.recordEvent(caller.scope, {
    type: `cron-${done}`,
    sessionId: caller.sessionId,
    data: { cronId: cron.id, name: cron.name, ...detail },
  })
}
