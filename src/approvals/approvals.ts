import { isAbsolute, normalize } from 'node:path'
import type { Approval, ApprovalListQuery, ApprovalPage, DecideApproval } from '../protocol/approval.ts'
import { conflict, invalidRequest, notFound, quote } from '../protocol/error.ts'
import type { PermissionRule } from '../protocol/permission.ts'
import { tellApproval } from '../runs/tell-approval.ts'
import { requireOperator, type Caller } from '../sessions/caller.ts'
import { requireLimit, type PageLimits } from '../sessions/list.ts'
import { addScopeRules } from '../sessions/scope-settings.ts'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { StoreOperations } from '../store/store.ts'
import { escapePattern } from '../tools/permission.ts'

export async function listApprovals(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Caller,
  { status = 'pending', session, limit, cursor }: Omit<ApprovalListQuery, 'scope'>,
): Promise<ApprovalPage> {
  const page = await store.listApprovals(scope, {
    status,
    sessionId: session,
    limit: requireLimit(pages, limit),
    cursor,
  })
  return { ...page, items: page.items.map(toPublic) }
}

export async function getApproval(store: StoreOperations, { scope }: Caller, id: string): Promise<Approval> {
  const approval = await store.getApproval(scope, id)
  if (!approval) throw notFound('approval', id)
  return toPublic(approval)
}

/** Takes a person's answer in, with what follows from it: grants and rules are there when the call is made. */
export function decideApproval(
  store: StoreOperations,
  caller: Caller,
  id: string,
  { decision, remember, paths, input, message }: Omit<DecideApproval, 'scope'>,
): Promise<Approval> {
  const isApproved = decision === 'approve'
  if (!isApproved && (paths || input)) throw invalidRequest('"paths" and "input" go with "approve" only.')
  if (isApproved && message) throw invalidRequest('"message" goes with "deny" only.')
  return store.transaction(async (tx) => {
    const asked = await tx.getApproval(caller.scope, id)
    if (!asked) throw notFound('approval', id)
    if (asked.kind === 'question' && (remember || input))
      throw invalidRequest('A question is answered with yes or no: "remember" and "input" do not go with it.')
    const granted = isApproved ? toGrants(asked, paths) : []
    if (granted.length > 0) requireOperator(caller, 'grant files outside the scope')
    // the run before the question, as its end takes them; a turn looks for the answer by itself
    if (asked.kind === 'question') await tx.wakeRun(asked.runId)
    const decided = await tx.decideApproval(id, {
      status: isApproved ? 'approved' : 'denied',
      decidedBy: caller.actor.id,
      answer: { ...(message && { message }), ...(input && { input }) },
    })
    if (!decided)
      throw conflict(`Nobody can decide about ${quote(id)} any more: it is ${statusWord(asked)}.`, {
        status: asked.status,
      })
    if (granted.length > 0) await grant(tx, asked, granted)
    if (remember) await addRules(tx, asked, remember, toRules(asked, isApproved ? 'allow' : 'deny'))
    await tx.recordAudit(caller.scope, {
      actor: caller.actor,
      action: decision,
      resourceType: asked.toolName,
      resourceId: asked.toolCallId,
      sessionId: asked.sessionId,
      detail: {
        approvalId: id,
        action: asked.action,
        resources: asked.resources.slice(0, 20),
        ...(remember && { remember }),
        ...(granted.length > 0 && { granted }),
        ...(input && { changed: true }),
      },
    })
    await tellApproval(tx, 'approval-settled', decided)
    return toPublic(decided)
  })
}

const statusWord = ({ status }: Approval) => (status === 'pending' ? 'too late' : status)

/** What is granted: what was asked for, or less, or something else that the person names. */
function toGrants({ kind, outside }: Approval, paths: readonly string[] | undefined): string[] {
  if (kind !== 'file_access') {
    if (paths) throw invalidRequest('"paths" goes with asks for files outside the workspaces only.')
    return []
  }
  return (paths ?? outside).map((path) => {
    if (!isAbsolute(path) || path.includes('\0'))
      throw invalidRequest(`A path to grant must be absolute, not ${quote(path)}.`)
    return normalize(path).replace(/(?<=.)\/$/, '')
  })
}

async function grant(tx: StoreOperations, { scope, sessionId }: Approval, paths: string[]): Promise<void> {
  const { grantedPaths = [] } = await tx.requireSession(scope, sessionId)
  await tx.updateSession(scope, sessionId, { grantedPaths: [...new Set([...grantedPaths, ...paths])] })
}

/** The same call, or one like it, is not asked about again. */
function toRules(
  { toolName, action, resources, kind }: Approval,
  decision: 'allow' | 'deny',
): PermissionRule[] {
  const patterns = kind === 'network_access' ? resources.map(hostOf) : resources.map(escapeFor(kind))
  const rule = { tool: toolName, action: [action], decision }
  return patterns.length === 0 ? [rule] : [...new Set(patterns)].map((path) => ({ ...rule, path }))
}

const escapeFor = (kind: Approval['kind']) => (kind === 'terminal_command' ? String : escapePattern)
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : url)

async function addRules(
  tx: StoreOperations,
  { scope, sessionId }: Approval,
  where: 'session' | 'scope',
  rules: PermissionRule[],
): Promise<void> {
  if (where === 'scope') return addScopeRules(tx, scope, rules)
  const { permissionRules = [] } = await tx.requireSession(scope, sessionId)
  await tx.updateSession(scope, sessionId, { permissionRules: [...rules, ...permissionRules] })
}

const toPublic = ({ answer, ...approval }: StoredApproval): Approval => ({
  ...approval,
  ...(answer?.message && { message: answer.message }),
})
