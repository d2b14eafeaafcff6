import { isDeepStrictEqual } from 'node:util'
import { ParleyError } from '../../core/protocol/error.ts'
import { cut } from '../../core/shared/text.ts'
import type { NodeRecord, PlanChange } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { idOf, type PlanCaller } from './change-plan.ts'

/** The version of a plan that a change is based on. */
export interface PlanBase {
  planId: string
  version: number
}

/** The context of an action that is based on a version. */
export interface BasedScene {
  tx: StoreOperations
  caller: PlanCaller
  base?: PlanBase
}

/** Somebody else has changed what an action is about; nothing is replaced. */
export class ChangedSince extends ParleyError {
  constructor(message: string, details: unknown) {
    super('conflict', message, { details })
  }
}

type Field =
  | 'name'
  | 'instruction'
  | 'dependencies'
  | 'acceptance'
  | 'context'
  | 'place'
  | 'status'
  | 'result'

const changesAtOnce = 200

/** What others changed since then, newest first. Own changes are known to the caller. */
export async function changesOfOthers(
  { tx, caller, base }: BasedScene,
  plan: { id: string; version: number },
): Promise<PlanChange[]> {
  if (base?.planId !== plan.id || base.version >= plan.version) return []
  const found: PlanChange[] = []
  for (let before: number | undefined; ;) {
    const some = await tx.listPlanChanges(plan.id, { before, after: base.version, limit: changesAtOnce })
    found.push(...some.filter((change) => !isOwn(change, caller)))
    if (some.length < changesAtOnce) return found
    before = some.at(-1)!.version
  }
}

const isOwn = ({ author, sessionId }: PlanChange, caller: PlanCaller) =>
  author === `${caller.actor.type}:${caller.actor.id}` && sessionId === caller.sessionId

/** The newest change of others that touched one of these fields of a node, also by making or deleting it. */
function findTouch(
  changes: readonly PlanChange[],
  nodeId: number,
  fields: readonly Field[],
): { change: PlanChange; field?: Field } | undefined {
  for (const change of changes)
    for (const { before, after } of change.changes.filter((one) => idOf(one) === nodeId)) {
      if (!before || !after) return { change }
      const field = fields.find((name) => !isDeepStrictEqual(toValue(before, name), toValue(after, name)))
      if (field) return { change, field }
    }
  return undefined
}

// as JSON, in which what is not there and what is undefined are the same
function toValue(node: NodeRecord, field: Field): string | undefined {
  if (field === 'place') return JSON.stringify([node.parentId, node.sort])
  return JSON.stringify(field === 'result' ? node.result?.output : node[field])
}

/** Throws when others have touched one of these fields of one of these nodes. */
export function requireUntouched(
  changes: readonly PlanChange[],
  nodeIds: readonly number[],
  fields: readonly Field[],
): void {
  if (changes.length === 0) return
  for (const nodeId of nodeIds) {
    const touch = findTouch(changes, nodeId, fields)
    if (touch) throw changedSince(nodeId, touch.field ?? touchWord(touch.change, nodeId), touch.change)
  }
}

const touchWord = ({ changes }: PlanChange, nodeId: number) =>
  changes.find((one) => idOf(one) === nodeId)?.after ? 'it' : 'deleted'

function changedSince(nodeId: number, what: string, change: PlanChange): ChangedSince {
  const { version, action, author } = change
  const by = `version ${version}, ${action} by ${author}`
  const happened = what === 'it' ? 'was added' : what === 'deleted' ? 'was deleted' : `has another ${what}`
  return new ChangedSince(
    `Task ${nodeId} ${happened} since you looked at the plan (${by}). Nothing was done: look at it as it is now, and decide again.`,
    { version, nodes: [nodeId] },
  )
}

export type NodePatch = Partial<
  Pick<NodeRecord, 'name' | 'instruction' | 'dependencies' | 'acceptance' | 'metadata'>
>

/** The part of a patch that replaces nothing that others wrote, and a message about the rest. */
export interface CheckedPatch {
  patch: NodePatch
  conflict?: ChangedSince
}

/** Fields that others have changed since stay as they are, unless the values are equal. */
export function checkPatch(
  changes: readonly PlanChange[],
  node: NodeRecord,
  { metadata, ...fields }: NodePatch,
): CheckedPatch {
  const patch: NodePatch = {}
  const lost: string[] = []
  let newest: PlanChange | undefined
  const note = (name: string, value: unknown, change: PlanChange) => {
    lost.push(`its ${name} is now ${cut(JSON.stringify(value) ?? 'none', maxShown)}`)
    newest = newest && newest.version > change.version ? newest : change
  }
  for (const [name, value] of Object.entries(fields)) {
    const field = name as keyof typeof fields
    const touch = findTouch(changes, node.id, [field])
    if (touch?.field && !isDeepStrictEqual(value, node[field])) note(field, node[field], touch.change)
    else Object.assign(patch, { [field]: value })
  }
  for (const [key, value] of Object.entries(metadata ?? {})) {
    const change = changes.find((one) => touchesKey(one, node.id, key))
    if (change && !isDeepStrictEqual(value, node.metadata[key]))
      note(`metadata ${key}`, node.metadata[key], change)
    else patch.metadata = { ...patch.metadata, [key]: value }
  }
  if (!newest) return { patch }
  const { version, action, author } = newest
  const others = Object.keys(patch).length > 0 ? ' The rest was changed.' : ''
  return {
    patch,
    conflict: new ChangedSince(
      `Task ${node.id} was changed since you looked at the plan (version ${version}, ${action} by ${author}), and that was not replaced: ${lost.join('; ')}.${others}`,
      { version, nodes: [node.id] },
    ),
  }
}

const maxShown = 1_000

const touchesKey = ({ changes }: PlanChange, nodeId: number, key: string): boolean =>
  changes.some(
    ({ before, after }) =>
      before?.id === nodeId &&
      after !== undefined &&
      !isDeepStrictEqual(before.metadata[key], after.metadata[key]),
  )
