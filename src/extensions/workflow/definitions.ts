import { diffTexts } from '../documents/diff-texts.ts'
import type { DocumentDiff } from '../documents/protocol/document.ts'
import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type {
  UpdateWorkflow,
  Workflow,
  WorkflowDiffQuery,
  WorkflowListQuery,
  WorkflowPage,
  WorkflowSummary,
  WorkflowVerdict,
  WorkflowVersion,
  WorkflowVersionListQuery,
  WorkflowVersionPage,
  WorkflowVersionText,
} from './protocol/workflow.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { WorkflowFacts, WorkflowHead, WorkflowRecord } from './store/workflows.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { allSteps } from './blocks.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import { unbindSession } from './management.ts'
import type { Definition } from './named-steps.ts'
import { syncTriggers } from './triggers.ts'

/** On whose behalf; with the session when a model calls. */
export type WorkflowCaller = Pick<Caller, 'scope' | 'actor'> & { sessionId?: string }

type Cause = WorkflowVersion['cause']

/** `id` is for callers that may have to repeat the call. */
export async function createDefinition(
  deps: WorkflowDeps,
  store: StoreOperations,
  caller: WorkflowCaller,
  { text, id, cause = 'create' }: { text: string; id?: string; cause?: Cause },
): Promise<Workflow> {
  const definition = deps.definitions.require(text)
  return store.transaction(async (tx) => {
    const { scope } = caller
    await tx.ensureScope(scope)
    const saved = { id, scope, name: definition.name, facts: factsOf(definition), text }
    const workflow = await tx.createWorkflow(saved, { ...caller, cause })
    await syncTriggers(tx, deps, workflow, definition, { isFromFile: cause === 'file' })
    await record(tx, caller, 'create', workflow)
    return toWorkflow(workflow)
  })
}

export async function getDefinition(
  store: StoreOperations,
  { scope }: WorkflowCaller,
  id: string,
): Promise<Workflow> {
  return toWorkflow(await store.requireWorkflow(scope, id))
}

export async function listDefinitions(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: WorkflowCaller,
  { q, limit, cursor }: Omit<WorkflowListQuery, 'scope'>,
): Promise<WorkflowPage> {
  const page = await store.listWorkflows(scope, { q, limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toSummary) }
}

/** A text with another name renames the workflow. The same text makes no new version and no event. */
export async function updateDefinition(
  deps: WorkflowDeps,
  store: StoreOperations,
  caller: WorkflowCaller,
  id: string,
  { text, baseVersion, cause = 'update' }: Omit<UpdateWorkflow, 'scope'> & { cause?: Cause },
): Promise<Workflow> {
  const definition = deps.definitions.require(text)
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    if (baseVersion !== undefined && baseVersion !== before.version)
      throw conflict(`The workflow ${quote(id)} is at version ${before.version}, not at ${baseVersion}.`, {
        version: before.version,
      })
    return save(deps, tx, { caller, before, definition, text, cause })
  })
}

/** Saves an older text again, as the newest version. */
export function rollbackDefinition(
  deps: WorkflowDeps,
  store: StoreOperations,
  caller: WorkflowCaller,
  id: string,
  version: number,
): Promise<Workflow> {
  return store.transaction(async (tx) => {
    const before = await requireLocked(tx, caller.scope, id)
    const { text } = await requireVersion(tx, id, version)
    // rules may have become stricter since
    return save(deps, tx, {
      caller,
      before,
      definition: deps.definitions.require(text),
      text,
      cause: 'rollback',
      detail: { from: version },
    })
  })
}

export function deleteDefinition(
  deps: WorkflowDeps,
  store: StoreOperations,
  caller: WorkflowCaller,
  id: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const workflow = await requireLocked(tx, caller.scope, id)
    await syncTriggers(tx, deps, workflow, undefined)
    await unbindSession(tx, workflow)
    await tx.deleteWorkflow(caller.scope, id)
    await record(tx, caller, 'delete', workflow)
  })
}

export async function listVersions(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: WorkflowCaller,
  id: string,
  { limit, cursor }: Omit<WorkflowVersionListQuery, 'scope'>,
): Promise<WorkflowVersionPage> {
  await store.requireWorkflow(scope, id)
  const pageSize = requireLimit(limits, limit)
  const found = await store.listWorkflowVersions(id, { before: toVersion(cursor), limit: pageSize + 1 })
  const items = found.slice(0, pageSize)
  return { items, nextCursor: found.length > pageSize ? String(items.at(-1)!.version) : null }
}

export async function getVersion(
  store: StoreOperations,
  { scope }: WorkflowCaller,
  id: string,
  version: number,
): Promise<WorkflowVersionText> {
  await store.requireWorkflow(scope, id)
  return requireVersion(store, id, version)
}

/** The first version is compared with an empty text. */
export async function diffVersions(
  store: StoreOperations,
  { scope }: WorkflowCaller,
  id: string,
  query: Omit<WorkflowDiffQuery, 'scope'>,
): Promise<DocumentDiff> {
  const workflow = await store.requireWorkflow(scope, id)
  const { to = workflow.version } = query
  const { from = to - 1 } = query
  const after = await requireVersion(store, id, to)
  const before = from === 0 ? { text: '' } : await requireVersion(store, id, from)
  return { from, to, ...diffTexts(before.text, after.text) }
}

export function validateDefinition({ definitions }: WorkflowDeps, text: string): WorkflowVerdict {
  const parsed = definitions.parse(text)
  return 'definition' in parsed
    ? { valid: true, problems: [], definition: { ...parsed.definition } }
    : { valid: false, problems: parsed.problems }
}

interface Saving {
  caller: WorkflowCaller
  before: WorkflowRecord
  definition: Definition
  text: string
  cause: Cause
  detail?: Record<string, unknown>
}

async function save(
  deps: WorkflowDeps,
  tx: StoreOperations,
  { caller, before, definition, text, cause, detail }: Saving,
): Promise<Workflow> {
  if (text === before.text) return toWorkflow(before)
  const saved = { name: definition.name, facts: factsOf(definition), text }
  const workflow = await tx.saveWorkflow(before, saved, { ...caller, cause })
  await syncTriggers(tx, deps, workflow, definition, { isFromFile: cause === 'file' })
  await record(tx, caller, cause === 'rollback' ? 'rollback' : 'update', workflow, detail)
  return toWorkflow(workflow)
}

/** The event last: others wait for the row of the scope. It names the session of a model that did it. */
async function record(
  tx: StoreOperations,
  { scope, actor, sessionId }: WorkflowCaller,
  action: 'create' | 'update' | 'rollback' | 'delete',
  { id, name, version }: WorkflowRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await tx.recordAudit(scope, {
    actor,
    action,
    resourceType: 'workflow',
    resourceId: id,
    sessionId,
    detail: { name, version, ...detail },
  })
  await tx.recordEvent(scope, {
    type: action === 'delete' ? 'workflow-deleted' : 'workflow-saved',
    sessionId,
    data: { workflowId: id, name, version },
  })
}

async function requireLocked(tx: StoreOperations, scope: string, id: string): Promise<WorkflowRecord> {
  const workflow = await tx.lockWorkflow(scope, id)
  if (!workflow) throw notFound('workflow', id)
  return workflow
}

async function requireVersion(store: StoreOperations, id: string, version: number) {
  const found = await store.getWorkflowVersion(id, version)
  if (!found) throw notFound('version', `${id}/${version}`)
  return found
}

function toVersion(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return Number(cursor)
}

const factsOf = ({ description, args, config, triggers = [], steps }: Definition): WorkflowFacts => ({
  ...(description !== undefined && { description }),
  ...(args && { args }),
  ...(config?.tags && { tags: config.tags }),
  triggers: triggers.map(({ type }) => type),
  stepCount: allSteps(steps).length,
})

const toSummary = (head: WorkflowHead): WorkflowSummary => ({
  id: head.id,
  scope: head.scope,
  name: head.name,
  version: head.version,
  ...head.facts,
  ...(head.file !== undefined && { file: head.file }),
  ...(head.fileProblem !== undefined && { problem: head.fileProblem }),
  ...(head.managementSessionId !== undefined && { managementSessionId: head.managementSessionId }),
  createdAt: toTimestamp(head.createdAt),
  updatedAt: toTimestamp(head.updatedAt),
})

export const toWorkflow = (kept: WorkflowRecord): Workflow => ({ ...toSummary(kept), text: kept.text })
