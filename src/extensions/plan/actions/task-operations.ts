import { z } from 'zod'
import { invalidRequest } from '../../../core/protocol/error.ts'
import { maxInstruction, type PlaceWish } from '../protocol/plan-node.ts'
import { changePlan, type PlanEdit } from '../change-plan.ts'
import { changesOfOthers, checkPatch, requireUntouched, type NodePatch } from '../changed-since.ts'
import { addNode, deleteNode, moveNode, updateNode } from '../nodes.ts'
import { outlineOf } from '../outline.ts'
import { readPlace } from '../node-position.ts'
import { describeResults } from '../results-text.ts'
import { previewRun } from '../run-preview.ts'
import { startDecomposition } from '../start-decomposition.ts'
import { chooseForNode, startNode } from '../start-execution.ts'
import { skipNodes } from '../node-status.ts'
import { isUndone } from '../plan-step.ts'
import {
  defineStored,
  limitFields,
  looseNumber,
  nameSchema,
  parentIdSchema,
  requirePlanId,
  taskIdSchema,
  yesSchema,
  type ActionType,
  type Scene,
} from './action.ts'

const kind = 'task_operation'

const metadataSchema = z.record(z.string(), z.unknown())
const dependenciesSchema = z.array(taskIdSchema).max(100)
const positionSchema = z.union([
  z.int().min(0).max(1e6),
  z.string().regex(/^(first_child|last_child|(before|after):#?\d{1,9}|\d{1,6})$/, {
    message: 'must be a number, first_child, last_child, before:ID or after:ID',
  }),
])
const factFields = {
  instruction: z.string().max(maxInstruction).optional(),
  metadata: metadataSchema.optional(),
  dependencies: dependenciesSchema.optional(),
  acceptance: z.array(z.string().min(1).max(2_000)).max(50).optional(),
}

/** Changes the plan of the scene; the change has the name of the action. */
const change = <Answer>(scene: Scene, action: string, work: (edit: PlanEdit) => Promise<Answer>) =>
  changePlan(scene.tx, scene.caller, requirePlanId(scene), { action, now: scene.now }, work)

const createTask = defineStored({
  kind,
  name: 'create_task',
  description:
    'name, instruction?, parent_id?, dependencies? (ids), acceptance? (checks such as "file_nonempty:report.md"), position? (number, first_child, last_child, before:ID, after:ID), insert_before?, insert_after?, metadata?: adds a task',
  parameters: z
    .strictObject({
      name: nameSchema.optional(),
      task_name: nameSchema.optional(),
      title: nameSchema.optional(),
      ...factFields,
      parent_id: parentIdSchema.optional(),
      position: positionSchema.nullish(),
      anchor_task_id: taskIdSchema.optional(),
      anchor_position: z.enum(['before', 'after', 'first_child', 'last_child']).optional(),
      insert_before: taskIdSchema.optional(),
      insert_after: taskIdSchema.optional(),
    })
    .refine(({ name, task_name: taskName, title }) => (name ?? taskName ?? title) !== undefined, {
      message: 'must be given',
      path: ['name'],
    }),
  needsPlan: true,
  effect: 'write',
  async perform(scene, { name, task_name: taskName, title, ...given }) {
    const { instruction, metadata, dependencies, acceptance } = given
    const facts = { name: name ?? taskName ?? title!, instruction, metadata, dependencies, acceptance }
    const { answer } = await change(scene, 'create_task', async (edit) =>
      addNode(edit, present(facts), await placeOf(scene, edit, toWish(given), dependencies), scene.now),
    )
    return { message: `Added task ${answer.id}: ${answer.name}.`, result: { task_id: answer.id } }
  },
})

/**
 * The requested place. A number that a model guessed for a task of its own may have become that of somebody
 * else's task meanwhile: it never refers to what others have added since.
 */
async function placeOf(
  scene: Scene,
  edit: PlanEdit,
  wish: PlaceWish,
  dependencies: readonly number[] = [],
  { parentName = 'parent_id', ...own }: Parameters<typeof readPlace>[2] = {},
) {
  const { parentId, before, after } = wish
  const named = [parentId, before, after, ...dependencies].filter((id) => id !== undefined)
  requireUntouched(await changesOfOthers(scene, edit.plan), named, [])
  return readPlace(edit, wish, { parentName, ...own })
}

interface PlaceHints {
  parent_id?: number
  position?: number | string | null
  anchor_task_id?: number
  anchor_position?: 'before' | 'after' | 'first_child' | 'last_child'
  insert_before?: number
  insert_after?: number
}

/** Normalises the ways to specify a place. Two that differ are rejected. */
function toWish({ parent_id: parentId, position, ...hints }: PlaceHints): PlaceWish {
  const wishes: PlaceWish[] = []
  if (position !== undefined && position !== null) wishes.push(readPosition(position))
  if (hints.anchor_task_id !== undefined) {
    const at = hints.anchor_position ?? 'after'
    const id = hints.anchor_task_id
    wishes.push(
      at === 'before' ? { before: id } : at === 'after' ? { after: id } : { parentId: id, position: at },
    )
  } else if (hints.anchor_position !== undefined)
    throw invalidRequest('"anchor_position" needs "anchor_task_id".')
  if (hints.insert_before !== undefined || hints.insert_after !== undefined)
    wishes.push(present({ before: hints.insert_before, after: hints.insert_after }))
  if (wishes.length > 1)
    throw invalidRequest(
      'Say the place in one way: "position", "anchor_task_id" or "insert_before"/"insert_after".',
    )
  const [wish = {}] = wishes
  if (wish.parentId !== undefined && parentId !== undefined && wish.parentId !== parentId)
    throw invalidRequest('"parent_id" and "anchor_task_id" name different parents.')
  return { ...(parentId !== undefined && { parentId }), ...wish }
}

function readPosition(position: number | string): PlaceWish {
  if (typeof position === 'number') return { position }
  if (position === 'first_child' || position === 'last_child') return { position }
  const [word, id] = position.split(':')
  if (id === undefined) return { position: Number(position) }
  const anchor = Number(id.replace('#', ''))
  return word === 'before' ? { before: anchor } : { after: anchor }
}

const present = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value

const updateTask = defineStored({
  kind,
  name: 'update_task',
  description: 'task_id, name?, instruction?, dependencies?, acceptance?, metadata?: changes what is named',
  parameters: z.strictObject({ task_id: taskIdSchema, name: nameSchema.optional(), ...factFields }),
  needsPlan: true,
  effect: 'write',
  async perform(scene, { task_id: id, ...patch }) {
    if (Object.keys(present(patch)).length === 0)
      throw invalidRequest('Nothing is named that is to be changed.')
    const { answer } = await change(scene, 'update_task', (edit) => edited(scene, edit, id, present(patch)))
    return { message: `Changed task ${id}: ${answer.name}.`, conflict: answer.conflict }
  },
})

/** What others wrote meanwhile stays; fails when nothing is left to be changed. */
async function edited(scene: Scene, edit: PlanEdit, id: number, wanted: NodePatch) {
  const others = await changesOfOthers(scene, edit.plan)
  requireUntouched(others, [id, ...(wanted.dependencies ?? [])], [])
  const { patch, conflict } = checkPatch(others, await edit.require(id), wanted)
  if (conflict && Object.keys(patch).length === 0) throw conflict
  const { name } = await updateNode(edit, id, patch, scene.now)
  return { name, conflict }
}

const updateInstruction = defineStored({
  kind,
  name: 'update_task_instruction',
  description: 'task_id, instruction: changes what is to be done',
  parameters: z.strictObject({ task_id: taskIdSchema, instruction: z.string().min(1).max(maxInstruction) }),
  needsPlan: true,
  effect: 'write',
  async perform(scene, { task_id: id, instruction }) {
    await change(scene, 'update_task', (edit) => edited(scene, edit, id, { instruction }))
    return { message: `Changed the instruction of task ${id}.` }
  },
})

const moveTask = defineStored({
  kind,
  name: 'move_task',
  description:
    'task_id, new_parent_id? (null: the top), new_position? (as in create_task): moves a task with all below it',
  parameters: z
    .strictObject({
      task_id: taskIdSchema,
      new_parent_id: parentIdSchema.optional(),
      new_position: positionSchema.nullish(),
    })
    .refine(
      ({ new_parent_id: parent, new_position: at }) =>
        parent !== undefined || (at ?? undefined) !== undefined,
      {
        message: 'must be given, or new_position',
        path: ['new_parent_id'],
      },
    ),
  needsPlan: true,
  effect: 'write',
  async perform(scene, { task_id: id, new_parent_id: parent, new_position: position }) {
    await change(scene, 'move_task', async (edit) => {
      requireUntouched(await changesOfOthers(scene, edit.plan), [id], ['place'])
      const { parentId } = await edit.require(id)
      const place = await placeOf(scene, edit, toWish({ parent_id: parent, position }), [], {
        otherwise: parentId,
        parentName: 'new_parent_id',
      })
      return moveNode(edit, id, place, scene.now)
    })
    return { message: `Moved task ${id}.` }
  },
})

const deleteTask = defineStored({
  kind,
  name: 'delete_task',
  description: 'task_id: deletes a task with all below it; the owner is asked first',
  parameters: z.strictObject({ task_id: taskIdSchema }),
  needsPlan: true,
  effect: 'delete',
  async perform(scene, { task_id: id }) {
    const { answer } = await change(scene, 'delete_task', async (edit) => {
      await requireSubtreeUntouched(scene, edit, id, written)
      return deleteNode(edit, id, scene.now)
    })
    const more = answer.length > 1 ? ` and ${answer.length - 1} below it` : ''
    return { message: `Deleted task ${id}${more}.`, result: { deleted: answer.map((node) => node.id) } }
  },
})

/** What a person writes, and would miss. */
const written = ['name', 'instruction', 'acceptance', 'context', 'place', 'status', 'result'] as const

/** The same of a node with all below it. */
async function requireSubtreeUntouched(
  scene: Scene,
  { tx, plan }: Pick<PlanEdit, 'tx' | 'plan'>,
  id: number,
  fields: Parameters<typeof requireUntouched>[2],
): Promise<void> {
  const others = await changesOfOthers(scene, plan)
  if (others.length === 0) return
  const below = (await tx.listSubtree(plan.id, id)).map((node) => node.id)
  requireUntouched(others, [...new Set([id, ...below])], fields)
}

const decomposeTask = defineStored({
  kind,
  name: 'decompose_task',
  description:
    'task_id? (default: the whole plan), expand_depth?, node_budget?, allow_existing_children?: has a task taken apart into smaller ones',
  parameters: z.strictObject({
    task_id: taskIdSchema.nullish(),
    expand_depth: looseNumber.optional(),
    node_budget: looseNumber.optional(),
    allow_existing_children: yesSchema.optional(),
  }),
  needsPlan: true,
  effect: 'write',
  isReported: true,
  async perform(scene, given) {
    const { tx, deps, caller, startRun } = scene
    const wish = {
      nodeId: given.task_id ?? undefined,
      expandDepth: clamp(given.expand_depth, 1, 10),
      nodeBudget: clamp(given.node_budget, 1, 1_000),
      allowExistingChildren: given.allow_existing_children,
    }
    const planId = requirePlanId(scene)
    const plan = await tx.requirePlan(caller.scope, planId)
    requireUntouched(await changesOfOthers(scene, plan), wish.nodeId === undefined ? [] : [wish.nodeId], [])
    const hint = 'allow_existing_children'
    const runId = await startDecomposition(tx, deps, { scope: caller.scope, planId }, wish, {
      startRun,
      hint,
    })
    return { message: 'It is being taken apart.', runId }
  },
})

const clamp = (value: number | undefined, min: number, max: number) =>
  value === undefined ? undefined : Math.min(max, Math.max(min, value))

const showTasks = defineStored({
  kind,
  name: 'show_tasks',
  description: 'no parameters: all tasks with their ids, 6 levels deep, up to 120',
  parameters: z.strictObject({}),
  needsPlan: true,
  effect: 'read',
  isReported: true,
  async perform(scene) {
    const plan = await scene.tx.requirePlan(scene.caller.scope, requirePlanId(scene))
    const outline = await outlineOf(scene.tx, plan, { maxDepth: 6, maxNodes: 120 })
    return { message: 'The tasks of the plan.', result: outline }
  },
})

const showResults = defineStored({
  kind,
  name: 'show_results',
  description:
    'no parameters: what came of the tasks, as much as there is room for; request_subgraph shows more of one',
  parameters: z.strictObject({}),
  needsPlan: true,
  effect: 'read',
  isReported: true,
  async perform(scene) {
    const planId = requirePlanId(scene)
    const links = await scene.tx.listLinks(planId)
    const ids = links.flatMap((node) => (node.status === 'completed' || isUndone(node) ? [node.id] : []))
    const results = await describeResults(scene.tx, planId, ids, scene.deps.limits.resultTokens)
    return { message: 'What came of the tasks.', result: { report: results || '(no results yet)' } }
  },
})

const queryStatus = defineStored({
  kind,
  name: 'query_status',
  description: 'no parameters: how many tasks are in which state',
  parameters: z.strictObject({}),
  needsPlan: true,
  effect: 'read',
  isReported: true,
  async perform(scene) {
    const planId = requirePlanId(scene)
    const counts = await scene.tx.countNodes(planId)
    const nodes = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const roots = (await scene.tx.listChildren(planId, 0)).length
    const words = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
    return {
      message: `${nodes} tasks, ${roots} at the top${words.length > 0 ? `: ${words.join(', ')}` : ''}.`,
      result: { nodes, roots, ...counts },
    }
  },
})

const rerunTask = defineStored({
  kind,
  name: 'rerun_task',
  description:
    'task_id, subtree? (also all below it), with_dependencies? (also what it waits for), max_tokens?, max_cost? (where it stops): has a task done, also once more; the owner is asked first',
  parameters: z.strictObject({
    task_id: taskIdSchema,
    subtree: yesSchema.optional(),
    with_dependencies: yesSchema.optional(),
    ...limitFields,
  }),
  needsPlan: true,
  effect: 'run',
  isReported: true,
  async perform(scene, given) {
    const { tx, deps, caller, agreed, startRun } = scene
    const { task_id: id } = given
    const plan = await tx.requirePlan(caller.scope, requirePlanId(scene))
    requireUntouched(await changesOfOthers(scene, plan), [id], ['status', 'result'])
    const wish = { ...toRunWish(given), lastNode: agreed?.lastNode }
    const runId = await startNode(
      tx,
      deps,
      { scope: caller.scope, planId: requirePlanId(scene), nodeId: id },
      wish,
      { startRun, hint },
    )
    return { message: `Task ${id} is being done.`, runId }
  },
  async preview({ store, deps, scope, planId }, given) {
    const plan = await store.requirePlan(scope, planId)
    const wish = toRunWish(given)
    const ids = chooseForNode(await store.listLinks(planId), given.task_id, wish, hint)
    return previewRun(store, deps, plan, ids, wish)
  },
})

interface RerunParameters {
  subtree?: boolean
  with_dependencies?: boolean
  max_tokens?: number
  max_cost?: number
}

/** What whoever may do that calls it. */
const hint = 'with_dependencies'

const toRunWish = (given: RerunParameters) => ({
  subtree: given.subtree,
  withDependencies: given.with_dependencies,
  maxTokens: given.max_tokens,
  maxCost: given.max_cost,
  rerun: true,
})

const skipTask = defineStored({
  kind,
  name: 'skip_task',
  description: 'task_id, reason?: does without a task and all below it; others go on as if it were done',
  parameters: z.strictObject({ task_id: taskIdSchema, reason: z.string().max(2_000).optional() }),
  needsPlan: true,
  effect: 'write',
  async perform(scene, { task_id: id, reason }) {
    const { answer } = await change(scene, 'skip_task', async (edit) => {
      await requireSubtreeUntouched(scene, edit, id, ['status', 'result'])
      return skipNodes(edit, id, { subtree: true, reason }, scene.now)
    })
    return { message: `Skipped ${answer.length === 1 ? `task ${id}` : `${answer.length} tasks`}.` }
  },
})

export const taskOperations: readonly ActionType[] = [
  createTask,
  updateTask,
  updateInstruction,
  moveTask,
  deleteTask,
  decomposeTask,
  showTasks,
  showResults,
  queryStatus,
  rerunTask,
  skipTask,
]
