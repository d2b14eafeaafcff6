import { createHash } from 'node:crypto'
import type { TurnInput } from '../chat/turn-input.ts'
import { taskRequestSchema, type BgMetaInput, type TaskRequest } from '../protocol/background.ts'
import type { SessionFacets } from '../protocol/facets.ts'
import { conflict, invalidRequest } from '../protocol/error.ts'
import { misfit } from '../protocol/issues.ts'
import type { Session } from '../protocol/session.ts'
import { budgetIdOf } from '../runs/budget.ts'
import type { Ids } from '../shared/ids.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { NewSession } from '../store/queries/sessions.ts'
import type { StoreOperations } from '../store/store.ts'
import { compileOutputSchema } from '../tools/tool-schemas.ts'
import { isEnded } from './deliver-result.ts'
import type { BackgroundDeps } from './task-deps.ts'
import {
  depthBelow,
  foldersOf,
  limitsWithin,
  narrowed,
  skillsWithin,
  switchedOff,
} from './inherited-rights.ts'
import { requirePlace } from './task-limits.ts'
import { buildPreamble } from './task-preamble.ts'

/** How a task is started, beside what it is asked to do. */
export interface TriggerOptions {
  /** The run that starts it; its budget and its end are the task's too. */
  parentRun?: Run
  /** Makes a second start with the same key find the first one's task. */
  key?: string
  /** Starts a turn in the target of the result when nothing is running there. */
  wake?: boolean
  /** Continues when its parent is stopped. */
  detached?: boolean
  /** A model had it started, whatever it came by. */
  byModel?: boolean
  /** Somebody waits for the result: nothing is put into an inbox. */
  isAwaited?: boolean
  title?: string
  allowedTools?: string[]
  /** Waits for a slot, whatever the setting for tasks over a limit. */
  queues?: boolean
  /** What its session is beside; never more than what started it. */
  session?: Pick<NewSession, 'allowedSkills' | 'permissionMode' | 'toolGroups' | 'parameters'> & SessionFacets
  /** Further input of its turn. */
  turn?: Omit<Partial<TurnInput>, 'message' | 'task'>
}

export interface TaskToStart {
  scope: string
  request: TaskRequest
  meta: BgMetaInput
  options?: TriggerOptions
}

/** Stores the session of a task and its run, which the next free slot takes up. */
export async function startTask(
  tx: StoreOperations,
  deps: BackgroundDeps,
  { scope, request, meta, options = {} }: TaskToStart,
): Promise<{ session: Session; run: Run }> {
  const { ids, limits } = deps
  const checked = taskRequestSchema.safeParse(request)
  if (!checked.success) throw misfit(checked.error, request)
  if (request.outputSchema) compileOutputSchema(request.outputSchema)
  if (request.budget?.cost !== undefined && !deps.prices?.hasPrices)
    throw invalidRequest('A budget of cost needs prices of models (setting "prices").')
  const id = options.key === undefined ? undefined : sessionIdOf(scope, options.key)
  const known = id === undefined ? undefined : await tx.getSession(scope, id)
  if (known) {
    const { items } = await tx.listRuns(scope, { sessionId: known.id, kind: 'background', limit: 1 })
    return { session: known, run: items[0]! }
  }
  await tx.ensureScope(scope)
  const parent =
    meta.parentSessionId === undefined ? undefined : await tx.requireSession(scope, meta.parentSessionId)
  const target =
    meta.announceTarget === undefined ? parent : await tx.requireSession(scope, meta.announceTarget)
  const depth = depthBelow(parent)
  await requirePlace(tx, limits, parent?.id, depth, options.queues === true || limits.overLimit === 'queue')
  // after the slots are locked: releasing a slot locks in this order too
  if (options.parentRun) await requireRunning(tx, options.parentRun)
  const model = request.model ?? meta.model
  if (model !== undefined) deps.requireModel(model)
  const { parameters } = options.session ?? {}
  if (parameters) await deps.checkParameters?.(tx, { scope, model: model ?? parent?.model, parameters })
  const above = budgetOf(options.parentRun)
  const timeoutMs = Math.min(
    request.timeoutMs ?? limits.timeoutMs,
    (request.budget?.seconds ?? Infinity) * 1_000,
    (above === undefined ? undefined : (await tx.admitTask(above, depth)).remainingMs) ?? Infinity,
  )
  const ofFacets = tx.facets.toTask(meta)
  const session = await tx.createSession({
    id,
    scope,
    kind: 'background',
    title: options.title ?? request.label ?? firstLine(request.prompt),
    model: model ?? parent?.model,
    parameters,
    parentId: parent?.id,
    bgStatus: 'pending',
    bgMeta: {
      ...meta,
      label: request.label,
      model,
      timeoutMs,
      depth,
      ...ofFacets.meta,
      ...foldersOf(tx.facets, parent),
    },
    // a task never has more rights than who started it
    allowedTools: narrowed(parent?.allowedTools, options.allowedTools),
    allowedSkills: skillsWithin(parent?.allowedSkills, options.session?.allowedSkills),
    ...limitsWithin(tx.facets, parent, options.session),
    permissionMode: options.session?.permissionMode ?? parent?.permissionMode,
    permissionRules: parent?.permissionRules,
    toolGroups: parent
      ? switchedOff(parent.toolGroups, options.session?.toolGroups)
      : options.session?.toolGroups,
    grantedPaths: parent?.grantedPaths,
  })
  const runId = ids.next('run')
  const budgetId = request.budget ? runId : above
  const run = await tx.createRun({
    id: runId,
    scope,
    sessionId: session.id,
    kind: 'background',
    parentId: options.parentRun?.id,
    depth,
    timeoutMs,
    taskOf: parent?.id,
    input: toTurnInput(
      request,
      meta,
      { ...options, toEnded: target && isEnded(target), facets: ofFacets.input },
      ids,
    ),
    budget: budgetId === undefined ? undefined : { id: budgetId },
  })
  if (request.budget) await tx.openBudget(run, above, request.budget)
  await tx.recordEvent(scope, {
    type: 'bg:session.created',
    sessionId: session.id,
    data: { runId, label: request.label, parentSessionId: parent?.id, triggerType: meta.triggerType },
  })
  return { session, run }
}

export const budgetOf = (run: Run | undefined) => (run ? budgetIdOf(run) : undefined)

/** A run that is being stopped starts nothing any more: its tasks are searched after the stop. */
export async function requireRunning(tx: StoreOperations, { scope, id }: Run): Promise<void> {
  const isRunning = await tx.lockRunning(id)
  if (!isRunning || (await tx.getRun(scope, id))?.stopReason !== undefined)
    throw conflict('What starts the task was stopped.')
}

function toTurnInput(
  request: TaskRequest,
  meta: BgMetaInput,
  options: TriggerOptions & { toEnded?: boolean; facets: Partial<TurnInput> },
  ids: Ids,
): TurnInput {
  const { systemInstructions, context, expectedOutput, timeoutMs, budget } = request
  return {
    message: { id: ids.next('msg'), parts: [{ type: 'text', text: request.prompt }] },
    actor: { type: 'system', source: 'bg-session' },
    model: request.model ?? meta.model,
    systemPreamble: buildPreamble(request),
    skipCheckpoint: true,
    skipSummary: true,
    ...options.facets,
    skipSlashCommands: true,
    skipChatStatus: true,
    ...options.turn,
    task: {
      label: request.label,
      outputSchema: request.outputSchema,
      asked: { systemInstructions, context, expectedOutput, timeoutMs, budget },
      deliverTo: options.isAwaited ? undefined : (meta.announceTarget ?? meta.parentSessionId),
      ...(options.toEnded && { toEnded: true }),
      wake: options.wake ?? meta.announceTarget !== undefined,
      detached: options.detached,
      ...(options.byModel && { byModel: true }),
      autoCleanup: meta.autoCleanup,
    },
  }
}

const firstLine = (text: string) => [...text.replace(/\s+/g, ' ').trim()].slice(0, 60).join('')

/** The same key is the same session, on every node and after every restart. */
export const sessionIdOf = (scope: string, key: string) =>
  `ses_${createHash('sha256').update(`${scope}\n${key}`).digest('hex').slice(0, 26)}`
