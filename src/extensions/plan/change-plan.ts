import { conflict, notFound } from '../../core/protocol/error.ts'
import type { Actor } from '../../core/store/queries/audit.ts'
import type { NodeChange, NodeRecord, PlanChange, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { PlanShape } from './tree-shape.ts'

/** Who changes a plan, and in which session. */
export interface PlanCaller {
  scope: string
  actor: Actor
  sessionId?: string
}

/**
 * One change of a locked plan. Nodes are written as they are put; their previous state and
 * place are kept, so that the change can be undone.
 */
export class PlanEdit {
  readonly tx: StoreOperations
  plan: PlanRecord
  readonly #changes = new Map<number, NodeChange>()
  /** Of nodes that made room for others, the sorts that they began with. */
  readonly #sorts = new Map<number, number>()

  constructor(tx: StoreOperations, plan: PlanRecord) {
    this.tx = tx
    this.plan = plan
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0
  }

  get changes(): NodeChange[] {
    return [...this.#changes.values()].map((change) =>
      change.stoodAfter === undefined
        ? change
        : { ...change, stoodAfter: this.#findStayed(change.stoodAfter) },
    )
  }

  async require(id: number): Promise<NodeRecord> {
    const node = await this.tx.getNode(this.plan.id, id)
    if (!node) throw notFound('node', String(id))
    return node
  }

  /** As it is now. */
  async shape(): Promise<PlanShape> {
    return new PlanShape(await this.tx.listLinks(this.plan.id))
  }

  /** The number of a new node; numbers are not reused. */
  nextId(): number {
    this.plan = { ...this.plan, lastNode: this.plan.lastNode + 1 }
    return this.plan.lastNode
  }

  /** Returns the stored node: `updatedAt` always increases, even within a millisecond. */
  async put(wanted: NodeRecord): Promise<NodeRecord> {
    const current = await this.tx.getNode(this.plan.id, wanted.id)
    const updatedAt = current ? Math.max(wanted.updatedAt, current.updatedAt + 1) : wanted.updatedAt
    const node = { ...wanted, updatedAt }
    const left = await this.#findLeft(current && isElsewhere(current, node) ? [current] : [])
    await this.tx.putNode(this.plan.id, node)
    this.#note(current, node, left)
    return node
  }

  /** One that is not there yet. */
  async add(node: NodeRecord): Promise<NodeRecord> {
    await this.tx.putNode(this.plan.id, node)
    this.#note(undefined, node)
    return node
  }

  /** Many at once, none of which is there. */
  async addAll(nodes: readonly NodeRecord[]): Promise<void> {
    await this.tx.putNodes(this.plan.id, nodes)
    for (const node of nodes) this.#note(undefined, node)
  }

  /** Whole subtrees, parents first. */
  async removeAll(nodes: readonly NodeRecord[]): Promise<void> {
    const gone = new Set(nodes.map(({ id }) => id))
    const left = await this.#findLeft(nodes.filter(({ parentId }) => !gone.has(parentId)))
    await this.tx.deleteNodes(this.plan.id, [...gone])
    for (const node of nodes) this.#note(node, undefined, left)
  }

  /** Writes nodes as they are to be, each beside what it is now; what they wait for comes later. */
  async restoreAll(nodes: readonly { current?: NodeRecord; restored: NodeRecord }[]): Promise<void> {
    const moved = nodes.flatMap(({ current, restored }) =>
      current && isElsewhere(current, restored) ? [current] : [],
    )
    const left = await this.#findLeft(moved)
    await this.tx.putNodes(
      this.plan.id,
      nodes.map(({ restored }) => ({ ...restored, dependencies: [] })),
    )
    for (const { current, restored } of nodes) this.#note(current, restored, left)
  }

  /** Respaces siblings in the same order. It is invisible, so it is part of no version. */
  async resort(nodes: readonly Pick<NodeRecord, 'id' | 'sort'>[], sorts: readonly number[]): Promise<void> {
    for (const { id, sort } of nodes) if (!this.#sorts.has(id)) this.#sorts.set(id, sort)
    await this.tx.setSorts(
      this.plan.id,
      nodes.map(({ id }, index) => ({ id, sort: sorts[index]! })),
    )
  }

  #note(
    current: NodeRecord | undefined,
    after: NodeRecord | undefined,
    left?: ReadonlyMap<number, number>,
  ): void {
    const { id } = (after ?? current)!
    const known = this.#changes.get(id)
    const before = known ? known.before : current && { ...current, sort: this.#sorts.get(id) ?? current.sort }
    const stoodAfter = known?.stoodAfter ?? left?.get(id)
    // one that was created by this change leaves nothing behind
    if (!before && !after) this.#changes.delete(id)
    else this.#changes.set(id, { before, after, ...(before && stoodAfter !== undefined && { stoodAfter }) })
  }

  /** Behind whom nodes stand that are about to leave: of those that were there when the change began, and stay. */
  async #findLeft(nodes: readonly NodeRecord[]): Promise<Map<number, number>> {
    const found = new Map<number, number>()
    if (nodes.length === 0) return found
    const leaving = new Set(nodes.map(({ id }) => id))
    const shape = await this.shape()
    for (const parentId of new Set(nodes.map((node) => node.parentId))) {
      let stays = 0
      for (const id of shape.childrenOf(parentId))
        if (leaving.has(id)) found.set(id, stays)
        else if (!this.#hasCome(id)) stays = id
    }
    return found
  }

  #hasCome(id: number): boolean {
    const change = this.#changes.get(id)
    return change !== undefined && (!change.before || change.stoodAfter !== undefined)
  }

  /** One may have left after another that stood behind it. */
  #findStayed(id: number): number {
    let found = id
    for (let before; (before = this.#changes.get(found)?.stoodAfter) !== undefined;) found = before
    return found
  }
}

const isElsewhere = (one: NodeRecord, other: NodeRecord) =>
  one.parentId !== other.parentId || one.sort !== other.sort

export interface ChangeOptions {
  /** The action, in a word. */
  action: string
  /** Refused when the plan was changed since this version. */
  baseVersion?: number
  undoes?: number
  now: number
}

/** Makes a change and stores it as the next version of the plan, unless nothing changed. */
export function changePlan<Answer>(
  store: StoreOperations,
  caller: PlanCaller,
  planId: string,
  { action, baseVersion, undoes, now }: ChangeOptions,
  work: (edit: PlanEdit) => Promise<Answer>,
): Promise<{ plan: PlanRecord; answer: Answer }> {
  return store.transaction(async (tx) => {
    const plan = await tx.lockPlan(caller.scope, planId)
    if (baseVersion !== undefined && baseVersion !== plan.version)
      throw await changedSince(tx, plan, baseVersion)
    const edit = new PlanEdit(tx, plan)
    const answer = await work(edit)
    if (edit.isEmpty) return { plan, answer }
    const version = plan.version + 1
    const next = await tx.updatePlan(edit.plan, { version })
    const { actor, sessionId } = caller
    const change: PlanChange = {
      version,
      action,
      author: `${actor.type}:${actor.id}`,
      sessionId,
      undoes,
      changes: edit.changes,
      createdAt: now,
    }
    await tx.addPlanChange(planId, change)
    await tx.recordEvent(caller.scope, {
      type: 'plan-changed',
      sessionId,
      data: { planId, version, action, nodes: edit.changes.slice(0, 100).map(idOf) },
    })
    return { plan: next, answer }
  })
}

export const idOf = ({ before, after }: NodeChange): number => (after ?? before)!.id

async function changedSince(tx: StoreOperations, plan: PlanRecord, baseVersion: number) {
  if (baseVersion > plan.version)
    return conflict(`The plan is at version ${plan.version}, not at ${baseVersion}.`, {
      version: plan.version,
      nodes: [],
    })
  const newer = await tx.listPlanChanges(plan.id, { after: baseVersion, limit: 20 })
  const words = newer.map(({ version, action, author }) => `${version} (${action} by ${author})`).join(', ')
  return conflict(`The plan was changed since version ${baseVersion}: ${words}.`, {
    version: plan.version,
    nodes: [...new Set(newer.flatMap(({ changes }) => changes.map(idOf)))].slice(0, 200),
  })
}

type Metadata = Record<string, unknown>

/** A node, by its plan and its number there. */
export interface NodeRef {
  planId: string
  nodeId: number
}

/** Keys that are not sent stay, so that a client that knows some of them loses nothing else; null removes a key. */
export const mergeMetadata = (before: Metadata, patch: Metadata): Metadata =>
  Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null))
