/**
 * Background sessions: ordinary sessions with another configuration. This starts them, counts them, waits for them and
 * cancels them; what they do is done by the chat core, and all of their state is in the store.
 *
 * A run waits as `queued` until a slot is free, goes on as `running` in the hands of some node, and ends once. Limits are
 * checked in the transaction that stores the run, so two spawns at once cannot both take the last place.
 */
import { createHash } from 'node:crypto'
import type { Chats } from '../chat/chats.ts'
import type { TurnHooks } from '../chat/after-turn.ts'
import type { TurnInput } from '../chat/turn-input.ts'
import { compileOutputSchema } from '../tools/output-schema.ts'
import {
  taskRequestSchema,
  type BgMetaInput,
  type TaskRequest,
  type TaskResult,
} from '../protocol/background.ts'
import { conflict, invalidRequest, notFound, ParleyError } from '../protocol/error.ts'
import { describeIssues } from '../protocol/issues.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { BgMeta, Session } from '../protocol/session.ts'
import { budgetIdOf, type Prices } from '../runs/budget.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Slots } from '../store/queries/claims.ts'
import type { NewSession } from '../store/queries/sessions.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { buildPreamble } from './preamble.ts'
import { judgeTries, remind } from './result-guard.ts'
import { settleTask, type OnSettled } from './settle.ts'

export interface BackgroundLimits extends Slots {
  /** A task at this depth is refused; tasks of a chat have depth 0. */
  maxDepth: number
  /** What happens over a limit of running tasks: `reject`, or `queue` until one ends. */
  overLimit: 'reject' | 'queue'
  /** With `queue`: so many wait at most. */
  maxQueued: number
  timeoutMs: number
  /** What becomes of a task whose process died: it goes on after its last step, or ends as `interrupted`. */
  onCrash: 'resume' | 'interrupt'
}

export const defaultBackgroundLimits: BackgroundLimits = {
  maxPerParent: 5,
  maxGlobal: 10,
  maxDepth: 2,
  overLimit: 'reject',
  maxQueued: 1_000,
  timeoutMs: 600_000,
  onCrash: 'resume',
}

export interface BackgroundDeps {
  store: Store
  chats: () => Chats
  clock: Clock
  ids: Ids
  limits: BackgroundLimits
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  prices?: Prices
  /** Ends a run below a session that is no background run. */
  cancelOther?(run: Run): Promise<void>
  /** Who else has to know of an end, in its transaction. */
  onSettled?: readonly OnSettled[]
}

/** How a task is started, beside what it is asked to do. */
export interface TriggerOptions {
  /** The run that starts it; its budget and its end are the task's too. */
  parentRun?: Run
  /** Makes a second start with the same key find the first one's task. */
  key?: string
  /** Starts a turn where the result goes when nothing goes on there. */
  wake?: boolean
  /** Goes on when its parent is stopped. */
  detached?: boolean
  /** Somebody waits for the result: nothing is put into an inbox. */
  isAwaited?: boolean
  title?: string
  allowedTools?: string[]
  /** Waits for a place whatever is said of those over a limit. */
  queues?: boolean
  /** What its session is beside; never more than what started it. */
  session?: Pick<NewSession, 'allowedSkills' | 'allowedMcpServerIds' | 'permissionMode' | 'toolGroups'>
  /** What its turn is told beside. */
  turn?: Pick<
    TurnInput,
    'workflow' | 'plan' | 'thinking' | 'maxSteps' | 'activeSkills' | 'referencesIn' | 'skipMemory'
  >
}

export interface Started {
  sessionId: string
  runId: string
  session: Session
  /** Settles with the end of the run, whichever that is. */
  promise: Promise<TaskResult>
}

export interface BackgroundManager {
  trigger(scope: string, request: TaskRequest, meta: BgMetaInput, options?: TriggerOptions): Promise<Started>
  /** In a transaction of the caller's; `watch` gives the promise after the commit. */
  triggerIn(
    tx: StoreOperations,
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options?: TriggerOptions,
  ): Promise<{ session: Session; run: Run }>
  triggerSync(
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options?: TriggerOptions,
  ): Promise<TaskResult>
  /** The result of a run that is over, or will be. */
  watch(scope: string, sessionId: string, runId: string, signal?: AbortSignal): Promise<TaskResult>
  /** Stops a task and everything below it; false when it is over already. */
  cancel(scope: string, sessionId: string): Promise<boolean>
  /** Stops the tasks that a session started, unless they are detached. */
  cancelTasksOf(scope: string, sessionId: string): Promise<number>
  isRunning(scope: string, sessionId: string): Promise<boolean>
  /** Over all nodes. */
  activeCount(): Promise<number>
  /** What the chat core does for background runs. */
  hooks: TurnHooks
}

export function createBackgroundManager(deps: BackgroundDeps): BackgroundManager {
  const { store, clock, ids, limits } = deps

  const settle = (tx: StoreOperations, ended: Parameters<typeof settleTask>[1]) =>
    settleTask(tx, ended, { now: clock.now(), ids, onSettled: deps.onSettled })

  async function triggerIn(
    tx: StoreOperations,
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options: TriggerOptions = {},
  ): Promise<{ session: Session; run: Run }> {
    const checked = taskRequestSchema.safeParse(request)
    if (!checked.success) throw invalidRequest(describeIssues(checked.error, request))
    if (request.outputSchema) compileOutputSchema(request.outputSchema)
    if (request.budget?.cost !== undefined && Object.keys(deps.prices ?? {}).length === 0)
      throw invalidRequest('A budget of cost needs prices of models (setting "prices").')
    const id = options.key === undefined ? undefined : sessionIdOf(scope, options.key)
    const known = id === undefined ? undefined : await tx.getSession(scope, id)
    if (known) {
      const { items } = await tx.listRuns(scope, { sessionId: known.id, kind: 'background', limit: 1 })
      return { session: known, run: items[0]! }
    }
    await tx.ensureScope(scope)
    const parent = await findParent(tx, scope, meta.parentSessionId)
    if (meta.announceTarget !== undefined) await requireTarget(tx, scope, meta.announceTarget)
    const depth = depthBelow(parent)
    await requirePlace(tx, parent?.id, depth, options.queues === true || limits.overLimit === 'queue')
    // after the slots are locked: whoever takes a slot back locks in this order too
    if (options.parentRun) await requireGoingOn(tx, options.parentRun)
    const model = request.model ?? meta.model
    if (model !== undefined) deps.requireModel(model)
    const above = budgetOf(options.parentRun)
    const timeoutMs = Math.min(
      request.timeoutMs ?? limits.timeoutMs,
      (request.budget?.seconds ?? Infinity) * 1_000,
      (above === undefined ? undefined : (await tx.admitTask(above, depth)).remainingMs) ?? Infinity,
    )
    const session = await tx.createSession({
      id,
      scope,
      kind: 'background',
      title: options.title ?? request.label ?? firstLine(request.prompt),
      model: model ?? parent?.model,
      parentId: parent?.id,
      bgStatus: 'pending',
      bgMeta: {
        ...meta,
        label: request.label,
        model,
        timeoutMs,
        depth,
        memoryPolicy: meta.memoryPolicy ?? defaultMemoryPolicy,
        ...foldersOf(parent),
      },
      // a task never has more rights than who started it
      allowedTools: narrowed(parent?.allowedTools, options.allowedTools),
      allowedSkills: skillsWithin(parent?.allowedSkills, options.session?.allowedSkills),
      allowedMcpServerIds: narrowed(parent?.allowedMcpServerIds, options.session?.allowedMcpServerIds),
      permissionMode: options.session?.permissionMode ?? parent?.permissionMode,
      permissionRules: parent?.permissionRules,
      toolGroups: switchedOff(parent?.toolGroups, options.session?.toolGroups),
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
      input: toTurnInput(request, meta, options, ids),
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

  /** Refuses what is over a limit. The counts hold until the transaction ends. */
  async function requirePlace(
    tx: StoreOperations,
    parentId: string | undefined,
    depth: number,
    queues: boolean,
  ): Promise<void> {
    if (depth >= limits.maxDepth)
      // never a matter of time
      throw conflict(`Tasks may be ${limits.maxDepth} deep (background.maxDepth); this one would be deeper.`)
    const { all, ofSession, queued } = await tx.countTasks(parentId)
    if (queues) {
      if (queued >= limits.maxQueued)
        throw tooMany(`${queued} tasks wait already, the most is ${limits.maxQueued} (background.maxQueued).`)
      return
    }
    if (parentId !== undefined && ofSession >= limits.maxPerParent)
      throw tooMany(
        `The session has ${ofSession} tasks going on, the most is ${limits.maxPerParent} (background.maxPerParent). Wait for one to end.`,
      )
    if (all >= limits.maxGlobal)
      throw tooMany(
        `${all} tasks go on already, the most is ${limits.maxGlobal} (background.maxGlobal). Wait for one to end.`,
      )
  }

  const watch: BackgroundManager['watch'] = async (
    scope,
    sessionId,
    runId,
    signal = new AbortController().signal,
  ) => {
    const run = await store.getRun(scope, runId)
    if (!run) throw notFound('run', runId)
    const { run: ended } = await deps.chats().answerOf(run, signal)
    signal.throwIfAborted()
    const session = await store.requireSession(scope, sessionId)
    return resultOf(session, { ...run, ...(await store.getRun(scope, runId)), status: ended.status })
  }

  const trigger: BackgroundManager['trigger'] = async (scope, request, meta, options) => {
    const { session, run } = await store.transaction((tx) => triggerIn(tx, scope, request, meta, options))
    const promise = watch(scope, session.id, run.id)
    // whoever does not care for the result is not to be brought down by it
    promise.catch(() => {})
    return { sessionId: session.id, runId: run.id, session, promise }
  }

  async function cancelRun(run: Run, reason: string): Promise<boolean> {
    const wasQueued = await store.transaction(async (tx) => {
      const isCancelled = await tx.cancelQueuedRun(run.scope, run.id)
      if (!isCancelled) return false
      const session = await tx.requireSession(run.scope, run.sessionId)
      await settle(tx, { session, run, status: 'cancelled', message: reason, parts: [] })
      return true
    })
    if (!wasQueued) await deps.chats().stopSession({ scope: run.scope, sessionId: run.sessionId })
    return true
  }

  async function cancelBelow(run: Run): Promise<void> {
    if (run.kind === 'background') await cancelRun(run, 'stopped with what started it')
    else await deps.cancelOther?.(run)
  }

  const cancelTasksOf: BackgroundManager['cancelTasksOf'] = async (scope, sessionId) => {
    const told = new Set<string>()
    let count = 0
    // what is told to stop starts nothing more, but may have since it was looked for: until there is nobody new
    for (;;) {
      const below = await store.listTasksBelow(scope, sessionId)
      const untold = below.filter(({ id }) => !told.has(id))
      if (untold.length === 0) return count
      for (const run of untold) {
        told.add(run.id)
        if (await isDetachedBelow(store, run, sessionId)) continue
        await cancelBelow(run)
        count++
      }
    }
  }

  return {
    trigger,
    triggerIn,
    watch,
    async triggerSync(scope, request, meta, options) {
      const { promise } = await trigger(scope, request, meta, { ...options, isAwaited: true })
      return promise
    },

    async cancel(scope, sessionId) {
      const session = await store.requireSession(scope, sessionId)
      if (session.kind !== 'background')
        throw invalidRequest('The session is no background session; stop it instead.')
      // a turn that somebody took in it after its end is not the task
      const open = (await store.listOpenRuns(sessionId)).find(({ kind }) => kind === 'background')
      // first itself: what was told to stop starts no more of them
      const isCancelled = open ? await cancelRun(open, 'cancelled') : false
      await cancelTasksOf(scope, sessionId)
      return isCancelled
    },

    cancelTasksOf,

    async isRunning(scope, sessionId) {
      await store.requireSession(scope, sessionId)
      return (await store.listOpenRuns(sessionId)).some(({ kind }) => kind === 'background')
    },

    activeCount: async () => (await store.countTasks(undefined)).all,

    hooks: {
      async onBegin(session, run) {
        if (run.kind !== 'background' || session.bgStatus !== 'pending') return
        await store.transaction(async (tx) => {
          await tx.updateSession(session.scope, session.id, { bgStatus: 'running' })
          await tx.recordEvent(session.scope, {
            type: 'bg:session.started',
            sessionId: session.id,
            data: { runId: run.id, parentSessionId: session.bgMeta?.parentSessionId },
          })
        })
      },
      nudge: remind,
      verdict: judgeTries,
      async onEnd(tx, ended) {
        if (ended.run.kind === 'background') await settle(tx, ended)
      },
    },
  }
}

/** As it was stored with the end of the run. */
function resultOf(session: Session, run: Run): TaskResult {
  const outcome = run.outcome as { result?: TaskResult } | undefined
  return (
    outcome?.result ?? {
      taskId: session.id,
      runId: run.id,
      status: run.status === 'completed' ? 'success' : toResultStatus(run.status),
      output: session.bgResult ?? '',
      ...(session.bgStructuredData !== undefined && {
        structuredData: JSON.parse(session.bgStructuredData) as unknown,
      }),
      ...(session.bgArtifacts && { artifacts: session.bgArtifacts }),
      source: 'none',
      degraded: true,
      durationMs: (run.finishedAt ?? run.createdAt) - (run.startedAt ?? run.createdAt),
    }
  )
}

const toResultStatus = (status: Run['status']): TaskResult['status'] =>
  status === 'timeout' || status === 'cancelled' || status === 'interrupted' ? status : 'failed'

const defaultMemoryPolicy = {
  skipPerRoundExtract: true,
  skipNarrativeBatchExtract: true,
  skipDocumentExtract: false,
  skipConversationSummary: true,
}

const budgetOf = (run: Run | undefined) => (run ? budgetIdOf(run) : undefined)

/** What was told to stop starts nothing any more: whoever stops it looks for its tasks after that. */
export async function requireGoingOn(tx: StoreOperations, { scope, id }: Run): Promise<void> {
  const isRunning = await tx.lockRunning(id)
  if (!isRunning || (await tx.getRun(scope, id))?.stopReason !== undefined)
    throw conflict('What starts the task was stopped.')
}

/** Whether a task, or one between it and the session, goes on when that session is stopped. */
async function isDetachedBelow(store: StoreOperations, task: Run, sessionId: string): Promise<boolean> {
  for (let run: Run | undefined = task; run;) {
    if ((run.input as TurnInput).task?.detached === true) return true
    if (run.taskOf === undefined || run.taskOf === sessionId) return false
    run = await taskIn(store, run.scope, run.taskOf)
  }
  return false
}

/** The run that a session was made for, whatever was said in it since. */
async function taskIn(store: StoreOperations, scope: string, sessionId: string): Promise<Run | undefined> {
  for (const kind of ['background', 'workflow', 'plan']) {
    const { items } = await store.listRuns(scope, { sessionId, kind, limit: 1 })
    if (items[0]) return items[0]
  }
  return undefined
}

async function findParent(
  tx: StoreOperations,
  scope: string,
  id: string | undefined,
): Promise<Session | undefined> {
  return id === undefined ? undefined : tx.requireSession(scope, id)
}

async function requireTarget(tx: StoreOperations, scope: string, id: string): Promise<void> {
  await tx.requireSession(scope, id)
}

function toTurnInput(request: TaskRequest, meta: BgMetaInput, options: TriggerOptions, ids: Ids): TurnInput {
  const policy = { ...defaultMemoryPolicy, ...meta.memoryPolicy }
  const { systemInstructions, context, expectedOutput, timeoutMs, budget } = request
  return {
    message: { id: ids.next('msg'), parts: [{ type: 'text', text: request.prompt }] },
    actor: { type: 'system', source: meta.source === 'workflow' ? 'workflow' : 'bg-session' },
    model: request.model ?? meta.model,
    systemPreamble: buildPreamble(request),
    skipCheckpoint: true,
    skipSummary: true,
    skipPerRoundExtract: policy.skipPerRoundExtract,
    skipNarrativeBatchExtract: policy.skipNarrativeBatchExtract,
    skipSlashCommands: true,
    skipChatStatus: true,
    ...options.turn,
    task: {
      label: request.label,
      outputSchema: request.outputSchema,
      asked: { systemInstructions, context, expectedOutput, timeoutMs, budget },
      deliverTo: options.isAwaited ? undefined : (meta.announceTarget ?? meta.parentSessionId),
      wake: options.wake ?? meta.announceTarget !== undefined,
      detached: options.detached,
      autoCleanup: meta.autoCleanup,
    },
  }
}

/** Of two lists that each limit, what both allow; an empty list is no limit. */
function narrowed(above: string[] | undefined, own: string[] | undefined): string[] | undefined {
  if (!own?.length) return above
  if (!above?.length) return own
  const both = own.filter((name) => above.includes(name))
  if (both.length === 0) throw conflict('None of the tools asked for is allowed where the task is started.')
  return both
}

/** The same of skills, of which an empty list means none. */
const skillsWithin = (above: string[] | undefined, own: string[] | undefined): string[] | undefined =>
  own && above ? own.filter((name) => above.includes(name)) : (own ?? above)

/** What is off above stays off; a task switches nothing on that nobody spoke of. */
function switchedOff(
  above: GroupSwitches | undefined,
  own: GroupSwitches | undefined,
): GroupSwitches | undefined {
  if (!own) return above
  const off = Object.entries(own).filter(([, isOn]) => isOn === false)
  return { ...above, ...(Object.fromEntries(off) as GroupSwitches) }
}

/** Those of a workflow run are its steps' too, and their tasks'. */
const foldersOf = (parent: Session | undefined): Pick<BgMeta, 'workspaceDir' | 'persistentWorkspaceDir'> => ({
  workspaceDir: parent?.bgMeta?.workspaceDir ?? parent?.toolMeta?.runWorkspaceDir,
  persistentWorkspaceDir: parent?.bgMeta?.persistentWorkspaceDir ?? parent?.toolMeta?.persistentWorkspaceDir,
})

/** How deep a task of this session is; that of a workflow run says it itself. */
export function depthBelow(parent: Session | undefined): number {
  if (parent?.kind === 'background') return (parent.bgMeta?.depth ?? 0) + 1
  return parent?.toolMeta?.depth ?? 0
}

const firstLine = (text: string) => [...text.replace(/\s+/g, ' ').trim()].slice(0, 60).join('')

const tooMany = (message: string) => new ParleyError('too_many_requests', message)

/** The same key is the same session, on every node and after every restart. */
export const sessionIdOf = (scope: string, key: string) =>
  `ses_${createHash('sha256').update(`${scope}\n${key}`).digest('hex').slice(0, 26)}`
