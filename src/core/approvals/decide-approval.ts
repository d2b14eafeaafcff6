import { isAbsolute, normalize } from 'node:path'
import type { Approval, ApprovalListQuery, ApprovalPage, DecideApproval } from '../protocol/approval.ts'
import { conflict, invalidRequest, notFound, quote } from '../protocol/error.ts'
import { maxPatternLength, type PermissionRule } from '../protocol/permission.ts'
import { recordApprovalEvents } from '../runs/approval-events.ts'
import { requireOperator, type Caller } from '../sessions/caller.ts'
import { requireLimit, type PageLimits } from '../sessions/list.ts'
import { addScopeRules } from '../sessions/scope-settings.ts'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { StoreOperations } from '../store/store.ts'
import { hashInput } from '../tools/permission.ts'
import { escapePath, escapeWildcards } from '../tools/rule-patterns.ts'
import { recordedResources } from './recorded-resources.ts'

export async function listApprovals(
  store: StoreOperations,
  pages: PageLimits,
  caller: Caller,
  { status = 'pending', session, limit, cursor }: Omit<ApprovalListQuery, 'scope'>,
): Promise<ApprovalPage> {
  const page = await store.listApprovals(caller.scope, {
    status,
    sessionId: session,
    limit: requireLimit(pages, limit),
    cursor,
  })
  return { ...page, items: page.items.map((approval) => toPublic(approval, caller)) }
}

export async function getApproval(store: StoreOperations, caller: Caller, id: string): Promise<Approval> {
  const approval = await store.getApproval(caller.scope, id)
  if (!approval) throw notFound('approval', id)
  return toPublic(approval, caller)
}

/** Takes a person's answer in, with what follows from it: grants and rules are there when the call is made. */
export function decideApproval(
  store: StoreOperations,
  caller: Caller,
  id: string,
  { decision, remember, widen, paths, input, message }: Omit<DecideApproval, 'scope'>,
): Promise<Approval> {
  const isApproved = decision === 'approve'
  if (!isApproved && (paths || input)) throw invalidRequest('"paths" and "input" go with "approve" only.')
  if (isApproved && message) throw invalidRequest('"message" goes with "deny" only.')
  if (widen && !remember) throw invalidRequest('"widen" goes with "remember" only.')
  if (input && remember)
    throw invalidRequest(
      'Only the call as it was asked about can be remembered, not one with another "input".',
    )
  return store.transaction(async (tx) => {
    const asked = await tx.getApproval(caller.scope, id)
    if (!asked) throw notFound('approval', id)
    if (asked.kind === 'question' && (remember || input))
      throw invalidRequest('A question is answered with yes or no: "remember" and "input" do not go with it.')
    const granted = isApproved ? toGrants(asked, paths) : []
    if (granted.length > 0) requireOperator(caller, 'grant files outside the scope')
    if (isApproved && remember)
      requireOperator(caller, 'have an approval remembered: it would be a rule that allows')
    // the run before the question, as its end locks them; a turn polls for the answer itself
    if (asked.kind === 'question') await tx.wakeRun(asked.runId)
    const decided = await tx.decideApproval(id, {
      status: isApproved ? 'approved' : 'denied',
      decidedBy: caller.actor.id,
      answer: { ...(message && { message }), ...(input && { input }) },
    })
    if (!decided)
      throw conflict(`The approval ${quote(id)} can no longer be decided: it is ${statusWord(asked)}.`, {
        status: asked.status,
      })
    if (granted.length > 0) await grant(tx, asked, granted)
    if (remember) await addRules(tx, asked, remember, toRules(asked, isApproved ? 'allow' : 'deny', widen))
    await tx.recordAudit(caller.scope, {
      actor: caller.actor,
      action: decision,
      resourceType: asked.toolName,
      resourceId: asked.toolCallId,
      sessionId: asked.sessionId,
      detail: {
        approvalId: id,
        action: asked.action,
        ...recordedResources(asked.resources),
        ...(remember && { remember }),
        ...(widen && { widen }),
        ...(granted.length > 0 && { granted }),
        ...(input && { changed: true }),
      },
    })
    await recordApprovalEvents(tx, 'approval-settled', decided)
    return toPublic(decided, caller)
  })
}

const statusWord = ({ status }: Approval) => (status === 'pending' ? 'too late' : status)

/** The grant: what was requested, less than that, or something else that the person names. */
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

/**
 * What an answer that is remembered means: this command, this address, these files, this very call, and nothing else. Only
 * at the person's request it is about the whole host, or about every call of the tool.
 */
function toRules(
  { toolName, action, resources, kind, input }: Approval,
  decision: 'allow' | 'deny',
  widen: DecideApproval['widen'],
): PermissionRule[] {
  const rule = { tool: escapePath(toolName), action: [action], decision }
  if (widen === 'tool' && resources.length > 0)
    throw invalidRequest('"widen: tool" goes with calls that name no file, command or address.')
  if (widen === 'host' && kind !== 'network_access')
    throw invalidRequest('"widen: host" goes with asks for addresses only.')
  if (resources.length === 0) return [widen === 'tool' ? rule : { ...rule, inputHash: hashInput(input) }]
  const escape = widen === 'host' ? hostOf : (escapes[kind] ?? escapePath)
  return [...new Set(resources.map(escape))].map((path) => {
    if (path.length > maxPatternLength)
      throw invalidRequest(
        `Only what has at most ${maxPatternLength} characters can be remembered; answer this one alone.`,
      )
    return { ...rule, path }
  })
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : escapeWildcards(url))
// with an empty query of its own the pattern fits no other one
const escapeUrl = (url: string) => escapeWildcards(url.includes('?') ? url : `${url.replace(/#.*$/, '')}?`)
const escapes: Partial<Record<Approval['kind'], (resource: string) => string>> = {
  terminal_command: escapeWildcards,
  network_access: escapeUrl,
}

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

const toPublic = ({ answer, ...approval }: StoredApproval, { seesAllScopes }: Caller): Approval => ({
  ...approval,
  ...(answer?.message && { message: answer.message }),
  ...(!seesAllScopes && { refuses: refusedOf(approval) }),
})

/** Known before anybody answers, so that nobody is offered what would be refused. */
const refusedOf = ({ kind, outside }: Approval): NonNullable<Approval['refuses']> =>
  kind === 'file_access' && outside.length > 0 ? ['approve', 'remember'] : ['remember']
