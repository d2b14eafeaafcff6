import { isDeepStrictEqual } from 'node:util'
import { scheduleSchema, type TaskOptions } from '../schedule/protocol/cron.ts'
import { filterSchema } from '../schedule/protocol/event-hook.ts'
import { recordChange } from '../schedule/cron-change.ts'
import { cronDefaults, defaultTimeZone, rescheduled } from '../schedule/crons.ts'
import type { ScheduleCaller } from '../schedule/schedule-service.ts'
import { auditEventHook, defaultMaxPerHour } from '../schedule/event-hooks.ts'
import { requireNextFire } from '../schedule/next-fire.ts'
import { check } from '../../core/operations/calls.ts'
import type { CronRecord } from '../schedule/store/crons.ts'
import type { EventHookRecord } from '../schedule/store/event-hooks.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import type { Definition } from './named-steps.ts'
import { prefixRefusal } from './prefix-refusal.ts'
import { triggerEvents, type Trigger } from './trigger-args.ts'

interface Owner {
  id: string
  scope: string
  name: string
}

/**
 * Syncs the crons and event hooks of a workflow with its definition; without one, removes them. What did
 * not change stays as it is, paused or not, unless the definition comes from a file: someone who can write a file must not be
 * able to start something, so all of them pause until a person resumes them. Part of the transaction that saves the
 * definition, before its events: others wait for the row of the scope. Throws `invalid_request` that names the trigger
 * which cannot be met.
 */
export async function syncTriggers(
  tx: StoreOperations,
  { clock }: Pick<WorkflowDeps, 'clock'>,
  { id, scope, name }: Owner,
  definition: Definition | undefined,
  { by = systemIn(scope), isFromFile = false }: { by?: ScheduleCaller; isFromFile?: boolean } = {},
): Promise<void> {
  const owner = { id, scope, name }
  const triggers = (definition?.triggers ?? []).map((trigger, index) => ({
    trigger,
    place: `triggers[${index}] (${trigger.type})`,
  }))
  const changes = await syncCrons(tx, { clock }, owner, triggers, isFromFile)
  await syncEventHooks(tx, owner, triggers, by, isFromFile)
  for (const [done, cron, detail] of changes) await recordChange(tx, by, done, cron, detail)
}

/** A project that was only cloned must not start to act by itself. */
const notYetTrusted = {
  status: 'paused',
  reason: 'It came with a file of the project; resume it to switch it on.',
} as const

const fileChanged = {
  status: 'paused',
  reason: 'The file of its workflow has changed; look at it, then resume.',
} as const

const systemIn = (scope: string): ScheduleCaller => ({ scope, actor: { type: 'system', id: 'workflow' } })

interface Placed {
  trigger: Trigger
  place: string
}
type CronChange = ['created' | 'updated' | 'deleted', CronRecord, Record<string, unknown>]

async function syncCrons(
  tx: StoreOperations,
  deps: Pick<WorkflowDeps, 'clock'>,
  owner: Owner,
  triggers: Placed[],
  isFromFile: boolean,
): Promise<CronChange[]> {
  const { scope, name } = owner
  const changes: CronChange[] = []
  const wanted = triggers.flatMap(({ trigger, place }) =>
    trigger.type === 'cron' ? [{ ...toCommon(owner, trigger), place, ...pickSchedule(place, trigger) }] : [],
  )
  const { pairs, missing, left } = pairUp(await tx.lockCronsOfWorkflow(scope, owner.id), wanted, [
    (cron, { schedule, timeZone, task }) =>
      cron.schedule === schedule && cron.timeZone === timeZone && isDeepStrictEqual(cron.task, task),
    (cron, { schedule, timeZone }) => cron.schedule === schedule && cron.timeZone === timeZone,
    () => true,
  ])
  for (const [cron, { place, schedule, timeZone, task, prompt }] of pairs) {
    const next = prefixRefusal(place, () => rescheduled(deps, cron, schedule, timeZone))
    const pause = isFromFile && cron.status === 'active' ? { ...fileChanged, nextFireAt: null } : {}
    const patch = { name, schedule, timeZone, task, prompt, ...pause }
    const fields = changedFields(cron, patch)
    if (fields.length === 0) continue
    changes.push(['updated', await tx.updateCron(scope, cron.id, { ...next, ...patch }), { fields }])
  }
  for (const { place, schedule, timeZone, ...fields } of missing) {
    const nextFireAt = prefixRefusal(place, () => requireNextFire(schedule, timeZone, deps.clock.now()))
    const cron = await tx.createCron({ ...fields, ...cronDefaults, schedule, timeZone, nextFireAt })
    if (isFromFile) await tx.updateCron(scope, cron.id, { ...notYetTrusted, nextFireAt: null })
    changes.push(['created', cron, { schedule, timeZone }])
  }
  for (const cron of left) {
    await tx.deleteCron(scope, cron.id)
    changes.push(['deleted', cron, {}])
  }
  return changes
}

async function syncEventHooks(
  tx: StoreOperations,
  owner: Owner,
  triggers: Placed[],
  by: ScheduleCaller,
  isFromFile: boolean,
): Promise<void> {
  const { scope, name } = owner
  const wanted = triggers.flatMap(({ trigger, place }) =>
    trigger.type === 'cron'
      ? []
      : [
          {
            ...toCommon(owner, trigger),
            event: triggerEvents[trigger.type].event,
            filter: prefixRefusal(place, () => check(filterSchema, trigger.filter ?? {})),
          },
        ],
  )
  const { pairs, missing, left } = pairUp(await tx.lockEventHooksOfWorkflow(scope, owner.id), wanted, [
    (hook, { event, filter, task }) =>
      hook.event === event && isDeepStrictEqual([hook.filter, hook.task], [filter, task]),
    (hook, { event, filter }) => hook.event === event && isDeepStrictEqual(hook.filter, filter),
    (hook, { event }) => hook.event === event,
  ])
  for (const [hook, { filter, task, prompt }] of pairs) {
    const pause = isFromFile && hook.status === 'active' ? fileChanged : {}
    const patch = { name, filter, task, prompt, ...pause }
    const fields = changedFields(hook, patch)
    if (fields.length === 0) continue
    await auditEventHook(tx, by, 'update', await tx.updateEventHook(scope, hook.id, patch), { fields })
  }
  const { last: seenSeq } = await tx.getEventRange(scope)
  for (const fields of missing) {
    const hook = await tx.createEventHook({ ...fields, maxPerHour: defaultMaxPerHour, seenSeq })
    if (isFromFile) await tx.updateEventHook(scope, hook.id, notYetTrusted)
    await auditEventHook(tx, by, 'create', hook, { event: hook.event })
  }
  for (const hook of left) {
    await tx.deleteEventHook(scope, hook.id)
    await auditEventHook(tx, by, 'delete', hook)
  }
}

function toCommon({ id, scope, name }: Owner, { args = {} }: Trigger) {
  const task: TaskOptions = Object.keys(args).length > 0 ? { context: args } : {}
  return { scope, name, workflowId: id, task, prompt: `Runs the workflow ${JSON.stringify(name)}.` }
}

function pickSchedule(place: string, { schedule, timezone }: Extract<Trigger, { type: 'cron' }>) {
  return {
    schedule: prefixRefusal(place, () => check(scheduleSchema, schedule)),
    timeZone: timezone ?? defaultTimeZone,
  }
}

/** Finds the most similar row for each wanted trigger; `alike` is ordered from equal to similar. */
function pairUp<Row extends { id: string }, Wanted>(
  rows: readonly Row[],
  wanted: readonly Wanted[],
  alike: readonly ((row: Row, wanted: Wanted) => boolean)[],
): { pairs: [Row, Wanted][]; missing: Wanted[]; left: Row[] } {
  const left = new Set(rows)
  const missing = new Set(wanted)
  const pairs: [Row, Wanted][] = []
  for (const isAlike of alike)
    for (const item of missing) {
      const row = [...left].find((candidate) => isAlike(candidate, item))
      if (!row) continue
      left.delete(row)
      missing.delete(item)
      pairs.push([row, item])
    }
  return { pairs, missing: [...missing], left: [...left] }
}

const changedFields = <Row extends CronRecord | EventHookRecord>(row: Row, patch: object): string[] =>
  Object.entries(patch)
    .filter(([field, value]) => !isDeepStrictEqual(row[field as keyof Row], value))
    .map(([field]) => field)
