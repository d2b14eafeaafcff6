import type {
  CreateEventHook,
  EventHook,
  EventHookListQuery,
  EventHookPage,
  UpdateEventHook,
} from './protocol/event-hook.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { EventHookRecord } from './store/event-hooks.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { requireFree } from './cron-change.ts'
import { toEventHook } from './cron-record.ts'
import { pickTask, requireStartable, type ScheduleCaller, type ScheduleDeps } from './schedule-service.ts'

export const defaultMaxPerHour = 60

/** Sees events from now on. */
export function createEventHook(
  deps: ScheduleDeps,
  store: StoreOperations,
  caller: ScheduleCaller,
  {
    name,
    event,
    filter = {},
    prompt,
    maxPerHour = defaultMaxPerHour,
    ...input
  }: Omit<CreateEventHook, 'scope'>,
): Promise<EventHook> {
  return store.transaction(async (tx) => {
    const { scope } = caller
    await tx.ensureScope(scope)
    const task = pickTask(input)
    await requireStartable(tx, deps, scope, task)
    const { last: seenSeq } = await tx.getEventRange(scope)
    const fields = { scope, name: name ?? event, event, filter, prompt, task, maxPerHour, seenSeq }
    const hook = await tx.createEventHook(fields)
    await auditEventHook(tx, caller, 'create', hook, { event })
    return toEventHook(hook)
  })
}

export async function getEventHook(
  store: StoreOperations,
  { scope }: ScheduleCaller,
  id: string,
): Promise<EventHook> {
  return toEventHook(await store.requireEventHook(scope, id))
}

export async function listEventHooks(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: ScheduleCaller,
  { limit, cursor }: EventHookListQuery,
): Promise<EventHookPage> {
  const page = await store.listEventHooks(scope, { limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toEventHook) }
}

/** When it becomes active again, it sees events from then on. */
export function updateEventHook(
  deps: ScheduleDeps,
  store: StoreOperations,
  caller: ScheduleCaller,
  id: string,
  { scope: _scope, ...patch }: UpdateEventHook,
): Promise<EventHook> {
  return store.transaction(async (tx) => {
    const { scope, actor } = caller
    const before = await tx.lockEventHook(scope, id)
    // any hook can be paused and resumed
    if (Object.keys(patch).some((field) => field !== 'status')) requireFree('event hook', before)
    await requireStartable(tx, deps, scope, pickTask(patch))
    const { name, event, filter, prompt, maxPerHour, status } = patch
    const isResumed = status === 'active' && before.status === 'paused'
    const isPaused = status === 'paused' && before.status === 'active'
    const hook = await tx.updateEventHook(scope, id, {
      name,
      event,
      filter,
      prompt,
      maxPerHour,
      status,
      task: pickTask(patch, before.task),
      ...(isResumed && { reason: null, seenSeq: (await tx.getEventRange(scope)).last }),
      ...(isPaused && { reason: `Paused by ${actor.id}.` }),
    })
    await auditEventHook(tx, caller, 'update', hook, { fields: Object.keys(patch) })
    return toEventHook(hook)
  })
}

/** Sessions that it started stay, running ones too. */
export function deleteEventHook(store: StoreOperations, caller: ScheduleCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const hook = await tx.lockEventHook(caller.scope, id)
    requireFree('event hook', hook)
    await tx.deleteEventHook(caller.scope, id)
    await auditEventHook(tx, caller, 'delete', hook)
  })
}

export function auditEventHook(
  tx: StoreOperations,
  { scope, actor, sessionId }: ScheduleCaller,
  action: string,
  { id, name }: EventHookRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const resource = { resourceType: 'event_hook', resourceId: id, sessionId }
  return tx.recordAudit(scope, { actor, action, ...resource, detail: { name, ...detail } })
}
