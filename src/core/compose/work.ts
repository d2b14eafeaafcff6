import type { BackgroundLimits } from '../tasks/limits.ts'
import { createBackgroundManager, type BackgroundManager } from '../tasks/manager.ts'
import { createToolCaller } from '../chat/call-tool.ts'
import type { ChatRuns } from '../chat/chat-runs.ts'
import type { RunEngine } from '../runs/run-engine.ts'
import type { DocumentLimits } from '../../extensions/documents/caller.ts'
import type { KnowledgeDeps } from '../../extensions/knowledge/deps.ts'
import { createKnowledgeReader } from '../../extensions/knowledge/reader.ts'
import { createEntityVectors } from '../../extensions/knowledge/vectors.ts'
import type { Embedder } from '../models/embedding.ts'
import { defaultPlanLimits, type PlanDeps, type PlanLimits } from '../../extensions/plan/deps.ts'
import { mostParallel, requireParallel } from '../../extensions/plan/parallel.ts'
import { settlePlanTask } from '../../extensions/plan/settle-task.ts'
import type { ScheduleDeps } from '../../extensions/schedule/deps.ts'
import { createScheduler } from '../../extensions/schedule/scheduler.ts'
import { settleFire, settleWorkflowFire } from '../../extensions/schedule/settle-fire.ts'
import { readAgents, type AgentDeps } from '../../extensions/agents/agents.ts'
import { createCommandRunner } from '../../extensions/room/command-runner.ts'
import { defaultRoomLimits, type RoomDeps } from '../../extensions/room/deps.ts'
import { modes } from '../../extensions/room/modes/registry.ts'
import type { Call } from '../tools/permission.ts'
import { createAddressRules } from '../../extensions/web/address.ts'
import { resolveBySystem } from '../../extensions/web/checked-request.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import { defaultWebhookLimits, type WebhookDeps } from '../../extensions/webhook/deps.ts'
import { createWebhookSender } from '../../extensions/webhook/sender.ts'
import { cancelRun, requireOpenRun } from '../../extensions/workflow/cancel.ts'
import { defaultWorkflowLimits, type WorkflowDeps } from '../../extensions/workflow/deps.ts'
import { createWorkflowFiles } from '../../extensions/workflow/files.ts'
import { doLinkedAction } from '../../extensions/workflow/linked-actions.ts'
import type { WorkflowServices } from '../../extensions/workflow/services.ts'
import { settleStep } from '../../extensions/workflow/settle-step.ts'
import { createTriggeredStart } from '../../extensions/workflow/start-triggered.ts'
import { startRunIn } from '../../extensions/workflow/start.ts'
import type { Base } from './base.ts'
import type { ParleyOptions } from './options.ts'
import type { Rights } from './rights.ts'

export interface WorkParts {
  base: Base
  rights: Rights
  backgroundLimits: BackgroundLimits
  documentLimits: DocumentLimits
  embedder: Embedder | undefined
  engine: RunEngine
  chats: ChatRuns
  /** Filled later, with tools that work with what is made here. */
  tools: ToolRegistry
}

/**
 * What is done by sessions of its own: tasks, workflows, plans, rooms, reading, and what starts them by time. They know one
 * another only by what is handed to them here.
 */
export function composeWork(parts: WorkParts, options: ParleyOptions) {
  const { store, clock, logger, forbidden, isTrusted } = parts.base
  const background = createBackgroundManager({
    ...sharedBy(parts),
    engine: parts.engine,
    chats: parts.chats,
    limits: parts.backgroundLimits,
    prices: options.prices,
  })
  const workflow = workflowDeps(parts, background, options)
  const workflowServices: WorkflowServices = {
    deps: workflow,
    files: createWorkflowFiles(workflow, { forbidden, isTrusted, logger }),
  }
  const schedule = scheduleDeps(parts, background, workflow, options)
  const scheduler = createScheduler({ ...schedule, logger })
  const webhook = webhookDeps(parts, options)
  const webhookSender = createWebhookSender({ ...webhook, logger })
  const plan = planDeps(parts, background, options)
  const knowledge: KnowledgeDeps = {
    store,
    background,
    requireModel: parts.base.requireModel,
    vectors: parts.embedder && createEntityVectors(store, parts.embedder, logger),
    logger,
  }
  const reader = createKnowledgeReader(knowledge)
  background.onSettled(
    (tx, session, result) => settleFire({ clock }, tx, session, result),
    (tx, session, result) => settleStep(tx, workflow, session, result),
    settlePlanTask,
    (tx, session, result) => reader.settle(tx, session, result),
  )
  const agents: AgentDeps = {
    readAgentFiles: parts.base.context.agentsIn,
    requireModel: parts.base.requireModel,
  }
  const { room, commands } = composeRooms(parts, background, agents, options)
  return {
    background,
    workflowServices,
    schedule,
    webhook,
    plan,
    knowledge,
    agents,
    room,
    /** What begins by itself; a program that lives shortly leaves it to one that stays. */
    start() {
      scheduler.start()
      webhookSender.start()
      reader.start()
      workflowServices.files.start()
    },
    async stop() {
      await scheduler.stop()
      await webhookSender.stop()
      await reader.stop()
      await workflowServices.files.stop()
    },
    /** Ends commands that are running. */
    close: () => commands.close(),
  }
}

function sharedBy({ base, backgroundLimits }: WorkParts) {
  const { store, clock, ids, requireModel, types } = base
  return { store, clock, ids, requireModel, types, maxWakes: backgroundLimits.maxWakes }
}

function workflowDeps(parts: WorkParts, background: BackgroundManager, options: ParleyOptions): WorkflowDeps {
  const { base, rights, documentLimits } = parts
  const { clock } = base
  return {
    ...sharedBy(parts),
    background,
    limits: { ...defaultWorkflowLimits, ...options.workflows },
    readMode: rights.readMode,
    doLinkedAction(tx, place, action) {
      const findDenial = async (call: Call) =>
        rights.findDenial(tx, await tx.requireSession(place.scope, place.sessionId), call)
      return doLinkedAction(tx, { clock, documentLimits, findDenial }, place, action)
    },
    onSettled: [
      async (tx, { scope, sessionId, source, sourceId }, { status, error }) => {
        if (source === 'cron' && sourceId !== undefined)
          await settleWorkflowFire({ clock }, tx, {
            scope,
            sessionId,
            cronId: sourceId,
            outcome: status,
            reason: error,
          })
      },
    ],
    workspacesDir: base.workspacesDir,
  }
}

function scheduleDeps(
  { base: { store, clock, requireModel } }: WorkParts,
  background: BackgroundManager,
  workflow: WorkflowDeps,
  options: ParleyOptions,
): ScheduleDeps {
  return {
    store,
    background,
    startWorkflow: createTriggeredStart({
      async findDefinition(tx, scope, id) {
        const found = await tx.getWorkflow(scope, id)
        const version = found && (await tx.getWorkflowVersion(id, found.version))
        return found && { ...found, writtenIn: version?.sessionId }
      },
      startRunIn: (tx, request) => startRunIn(tx, workflow, request),
    }),
    cancelWorkflow: async (scope, runId) => cancelRun(workflow, await requireOpenRun(workflow, scope, runId)),
    clock,
    requireModel,
    hasPrices: Object.keys(options.prices ?? {}).length > 0,
  }
}

function webhookDeps({ base: { store, clock } }: WorkParts, { webhooks = {} }: ParleyOptions): WebhookDeps {
  const { allowPrivate = [], ...limits } = webhooks
  return {
    store,
    clock,
    rules: createAddressRules(allowPrivate),
    resolve: resolveBySystem,
    limits: { ...defaultWebhookLimits, ...limits },
  }
}

function planDeps(parts: WorkParts, background: BackgroundManager, options: ParleyOptions): PlanDeps {
  const { base, rights, tools } = parts
  const { store, readWorkspaces } = base
  const { guard, readGroups, findDenial } = rights
  return {
    ...sharedBy(parts),
    background,
    limits: planLimits(parts.backgroundLimits, options.plans),
    slots: parts.backgroundLimits,
    prices: options.prices,
    readWorkspaces,
    async findDenial(tx, place, call) {
      const session = await tx.requireSession(place.scope, place.sessionId)
      if ((await readGroups(session, tx)).plan === false) return 'The session does not have the group "plan".'
      return findDenial(tx, session, call)
    },
    ...createToolCaller({ store, tools, guard, readWorkspaces, readGroups }),
  }
}

/** More at once than the background does is refused where somebody asked for it. */
function planLimits(slots: BackgroundLimits, given: ParleyOptions['plans']): PlanLimits {
  requireParallel(slots, given?.maxParallel, 'plans.maxParallel')
  const maxParallel = Math.min(defaultPlanLimits.maxParallel, mostParallel(slots).most)
  return { ...defaultPlanLimits, maxParallel, ...given }
}

function composeRooms(
  parts: WorkParts,
  background: BackgroundManager,
  agents: AgentDeps,
  options: ParleyOptions,
) {
  const { store, clock, ids, readWorkspaces } = parts.base
  const limits = { ...defaultRoomLimits, ...options.rooms }
  const commands = createCommandRunner({
    limits,
    readWorkspaces,
    sandbox: parts.base.sandbox,
    environment: options.terminal?.environment,
    variables: options.terminal?.variables,
    readRights: parts.rights.readRights,
    isTrusted: parts.base.isTrusted,
  })
  const room: RoomDeps = {
    store,
    chats: parts.chats,
    types: parts.base.types,
    clock,
    ids,
    limits,
    maxWakes: parts.backgroundLimits.maxWakes,
    modes,
    readAgents: (tx, scope) => readAgents(agents, tx, scope),
    requireModel: agents.requireModel,
    cancelTasksOf: (scope, sessionId) => background.cancelTasksOf(scope, sessionId),
    deleteSession: (tx, scope, sessionId) => background.deleteIn(tx, scope, sessionId),
    runCommands: commands.runCommands,
  }
  return { room, commands }
}
