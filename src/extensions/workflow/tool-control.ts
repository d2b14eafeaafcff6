import { diffTexts } from '../documents/diff-texts.ts'
import { callerOf, idOfCall, oncePerCall } from '../documents/tool-call.ts'
import { conflict, invalidRequest, notFound, ParleyError, quote } from '../../core/protocol/error.ts'
import type { Workflow } from './protocol/workflow.ts'
import type { WorkflowRecord } from './store/workflows.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import type { Which, WorkflowControl } from './workflow-tool.ts'
import {
  createDefinition,
  diffVersions,
  getVersion,
  listDefinitions,
  listVersions,
  rollbackDefinition,
  toWorkflow,
  updateDefinition,
  validateDefinition,
} from './definitions.ts'
import type { WorkflowServices } from './workflow-files.ts'
import { bindSession, isManagement, repairManaged } from './management.ts'
import { cancelWorkflowRun, listRuns, requireRun, startRun } from './runs.ts'

const maxListed = 100
const pages = { pageSize: maxListed }

/** Workflows as the tool of a model sees them. A session that edits one writes no other. */
export function createWorkflowControl({ deps, files }: WorkflowServices): WorkflowControl {
  const { store } = deps

  /** The given workflow, or that of the session. */
  const find = async (
    tx: StoreOperations,
    { scope, sessionId }: ToolContext,
    { id, name }: Which,
  ): Promise<WorkflowRecord> => {
    if (id !== undefined) return tx.requireWorkflow(scope, id)
    if (name !== undefined) {
      const named = await tx.getWorkflowByName(scope, name)
      if (!named) throw notFound('workflow', name)
      return named
    }
    const own = await repairManaged(tx, await tx.requireSession(scope, sessionId))
    if (!own) throw invalidRequest('Say which workflow is meant: give its "id" or its "name".')
    return own
  }

  /** The same for a change. */
  const findOwn = async (
    tx: StoreOperations,
    context: ToolContext,
    which: Which,
  ): Promise<WorkflowRecord> => {
    const workflow = await find(tx, context, which)
    const session = await tx.requireSession(context.scope, context.sessionId)
    const own = isManagement(session) ? await repairManaged(tx, session) : workflow
    if (own?.id !== workflow.id)
      throw new ParleyError(
        'forbidden',
        own
          ? `This session edits the workflow ${quote(own.name)} and no other.`
          : 'This session makes a new workflow and changes no other: use "create".',
      )
    return workflow
  }

  const create = async (tx: StoreOperations, context: ToolContext, text: string): Promise<Workflow> => {
    const session = await tx.requireSession(context.scope, context.sessionId)
    const own = isManagement(session) ? await repairManaged(tx, session) : undefined
    if (own) {
      if (deps.definitions.require(text).name !== own.name)
        throw conflict(`This session edits the workflow ${quote(own.name)}: use "update" to change it.`)
      return updateDefinition(deps, tx, callerOf(context), own.id, { text })
    }
    const created = await createDefinition(deps, tx, callerOf(context), {
      text,
      id: idOfCall('wfl', context),
    })
    if (!isManagement(session)) return created
    return toWorkflow(await bindSession(tx, session, await tx.requireWorkflow(context.scope, created.id)))
  }

  /** Writes what was saved to its file as well. */
  const saving = async (
    context: ToolContext,
    work: (tx: StoreOperations) => Promise<Workflow>,
  ): Promise<Workflow> => {
    const saved = await oncePerCall(store, context, work)
    await files.sync(context.scope)
    return saved
  }

  return {
    async list(context, { q, limit = maxListed, cursor }) {
      await files.sync(context.scope)
      return listDefinitions(store, pages, callerOf(context), { q, limit, cursor })
    },

    async get(context, which, version) {
      const workflow = await find(store, context, which)
      if (version === undefined) return toWorkflow(workflow)
      return {
        ...toWorkflow(workflow),
        ...(await getVersion(store, callerOf(context), workflow.id, version)),
      }
    },

    validate: (text) => validateDefinition(deps, text),

    create: (context, text) => saving(context, (tx) => create(tx, context, text)),

    update: (context, which, input) =>
      saving(context, async (tx) => {
        const { id } = await findOwn(tx, context, which)
        return updateDefinition(deps, tx, callerOf(context), id, input)
      }),

    async diff(context, which, { text, from, to }) {
      const { id, version, text: before } = await find(store, context, which)
      if (text === undefined) return diffVersions(store, callerOf(context), id, { from, to })
      return { from: version, to: version + 1, ...diffTexts(before, text) }
    },

    async versions(context, which) {
      const { id } = await find(store, context, which)
      return listVersions(store, pages, callerOf(context), id, { limit: maxListed })
    },

    rollback: (context, which, version) =>
      saving(context, async (tx) => {
        const { id } = await findOwn(tx, context, which)
        return rollbackDefinition(deps, tx, callerOf(context), id, version)
      }),

    async run(context, { name, text, args }) {
      const { scope, sessionId, runId, toolCallId } = context
      if (name !== undefined && text !== undefined)
        throw invalidRequest('Give a "name" or a "text", not both.')
      const named = text === undefined ? (await find(store, context, { name })).name : undefined
      const origin = {
        source: 'tool',
        sourceId: toolCallId,
        parentSessionId: sessionId,
        parentRunId: runId,
        deliverTo: sessionId,
        key: `tool:${runId}:${toolCallId}`,
      } as const
      return startRun(store, deps, { scope }, { name: named, text, args }, origin)
    },

    async runs(context, which) {
      const isAll = which.id === undefined && which.name === undefined
      const workflow = isAll ? undefined : (await find(store, context, which)).id
      return listRuns(store, pages, callerOf(context), { workflow, limit: 20 })
    },

    getRun: ({ scope }, id) => requireRun(store, deps, scope, id),
    cancel: (context, id) => cancelWorkflowRun(deps, callerOf(context), id),
  }
}
