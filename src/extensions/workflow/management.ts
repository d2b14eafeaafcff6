import type { Session } from '../../core/protocol/session.ts'
import { notFound } from '../../core/protocol/error.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import type { WorkflowRecord } from './store/workflows.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/**
 * The session that edits a workflow. The record of the workflow is authoritative: at most one session is bound to a workflow, and
 * one workflow to a session. The record of the session is repaired whenever it is used.
 */

const source = 'workflow-management'

export const isManagement = ({ kind, toolMeta }: Pick<Session, 'kind' | 'toolMeta'>): boolean =>
  kind === 'tool' && toolMeta?.source === source

/** The one session of the workflow, made when there is none; without an id a new one, whose first workflow will be its own. */
export function openManagement(
  store: StoreOperations,
  caller: Caller,
  id?: string,
): Promise<{ session: Session; isNew: boolean }> {
  return store.transaction(async (tx) => {
    if (id === undefined) return { session: await create(tx, caller), isNew: true }
    // concurrent callers wait here
    const workflow = await tx.lockWorkflow(caller.scope, id)
    if (!workflow) throw notFound('workflow', id)
    const known = await sessionOf(tx, workflow)
    if (known) return { session: await nameWorkflow(tx, known, workflow), isNew: false }
    const session = await create(tx, caller, workflow)
    await tx.setManagementSession(id, session.id)
    return { session, isNew: true }
  })
}

/** The workflow that a management session edits; undefined as long as there is none, or when it is gone. */
export async function findManaged(
  store: StoreOperations,
  session: Session,
): Promise<WorkflowRecord | undefined> {
  if (!isManagement(session)) return undefined
  const workflow = await store.getWorkflowOfSession(session.id)
  if (workflow) return workflow
  const named = session.toolMeta?.workflowDefId
  const claimed = named === undefined ? undefined : await store.getWorkflow(session.scope, named)
  return claimed?.managementSessionId === undefined ? claimed : undefined
}

/** The same, and repairs the references between the two. */
export async function repairManaged(
  tx: StoreOperations,
  session: Session,
): Promise<WorkflowRecord | undefined> {
  const found = await findManaged(tx, session)
  if (!found) {
    await forgetWorkflow(tx, session)
    return undefined
  }
  const workflow = await tx.lockWorkflow(session.scope, found.id)
  if (!workflow || (workflow.managementSessionId ?? session.id) !== session.id) {
    // another caller was faster
    await forgetWorkflow(tx, session)
    return undefined
  }
  return bindSession(tx, session, workflow)
}

/** Binds the session permanently to a workflow that has none. */
export async function bindSession(
  tx: StoreOperations,
  session: Session,
  workflow: WorkflowRecord,
): Promise<WorkflowRecord> {
  if (workflow.managementSessionId !== session.id) await tx.setManagementSession(workflow.id, session.id)
  await nameWorkflow(tx, session, workflow)
  return { ...workflow, managementSessionId: session.id }
}

/** Before a workflow is deleted: its session is one without a workflow again. */
export async function unbindSession(tx: StoreOperations, workflow: WorkflowRecord): Promise<void> {
  const session = await sessionOf(tx, workflow)
  if (session) await forgetWorkflow(tx, session)
}

/**
 * What goes with every turn of a management session, as it is now. Earlier ones stay in the conversation, and so does what
 * the session began with: it says which one counts.
 */
export async function readEditedWorkflow(
  store: StoreOperations,
  session: Session,
  draft?: string,
): Promise<string | undefined> {
  if (!isManagement(session)) return undefined
  const workflow = await findManaged(store, session)
  if (workflow)
    return (
      `id: ${workflow.id}, version: ${workflow.version}. This is the definition of now: ` +
      `whatever was said earlier of another version, or of none, is out of date.\n\n${workflow.text}`
    )
  return draft === undefined
    ? 'There is no definition yet, or it was deleted: those that were shown earlier do not count any more. The first one that is created here becomes its own.'
    : `Not saved yet; the first one that is created here becomes its own.\n\n${draft}`
}

async function sessionOf(
  tx: StoreOperations,
  { scope, managementSessionId }: WorkflowRecord,
): Promise<Session | undefined> {
  const session = managementSessionId && (await tx.getSession(scope, managementSessionId))
  return session && isManagement(session) ? session : undefined
}

const create = (tx: StoreOperations, caller: Caller, workflow?: WorkflowRecord): Promise<Session> =>
  createSession(tx, caller, {
    kind: 'tool',
    title: labelOf(workflow),
    toolMeta: metaOf(workflow),
  })

/** A name may have line breaks, a label has none. */
const labelOf = (workflow?: Pick<WorkflowRecord, 'name'>): string =>
  workflow?.name.replaceAll(/\p{Cc}/gu, ' ') ?? 'New workflow'

const metaOf = (workflow?: Pick<WorkflowRecord, 'id' | 'name'>): NonNullable<Session['toolMeta']> => ({
  source,
  label: labelOf(workflow),
  ...(workflow && { workflowDefId: workflow.id, workflowName: workflow.name }),
})

/** A new name of the workflow alone is no reason: it would change the static part of the prompt. */
async function nameWorkflow(
  tx: StoreOperations,
  session: Session,
  workflow: WorkflowRecord,
): Promise<Session> {
  if (session.toolMeta?.workflowDefId === workflow.id) return session
  return tx.updateSession(session.scope, session.id, { toolMeta: metaOf(workflow) })
}

async function forgetWorkflow(tx: StoreOperations, session: Session): Promise<void> {
  if (session.toolMeta?.workflowDefId !== undefined)
    await tx.updateSession(session.scope, session.id, { toolMeta: metaOf() })
}
