import type { Approval } from '../protocol/approval.ts'
import type { Session } from '../protocol/session.ts'
import { insist, type SlotWaits } from '../runs/slot-wait.ts'
import type { ReadWorkspaces } from '../sessions/session-workspaces.ts'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { CallGuard, GuardedCall, Refused } from '../tools/call-guard.ts'
import { decide, type Call, type Verdict } from '../tools/permission.ts'
import { accessOf, type Access } from '../tools/tool.ts'
import { readAuthority, type AuthorityDeps } from './authority.ts'

export interface GuardDeps extends Omit<AuthorityDeps, 'store'> {
  store: Store
  readWorkspaces: ReadWorkspaces
  waits: SlotWaits
  limits: ApprovalLimits
}

export interface ApprovalLimits {
  /** How long a person has to answer. */
  timeoutMs: number
  /** What counts when nobody does. */
  fallback: 'allow' | 'deny'
}

export const defaultApprovalLimits: ApprovalLimits = { timeoutMs: 300_000, fallback: 'deny' }

/** Another node may have taken the answer in, and says so nowhere but in the store. */
const pollMs = 500

/**
 * Decides about calls by mode and rules, and asks where these say so. The ask is stored before anybody waits: a process
 * that goes on with the run finds it, answered or not.
 */
export function createCallGuard(deps: GuardDeps): CallGuard {
  const { store, readWorkspaces } = deps
  return {
    async admit(call) {
      const { tool, scope, sessionId, input } = call
      // a task must be able to say what came of it
      if (tool.endsTurn) return { input }
      const session = await store.requireSession(scope, sessionId)
      const workspaces = await readWorkspaces(session)
      const access = accessOf(tool, input, workspaces)
      const verdict = decide(await readAuthority(deps, session, workspaces.main), toCall(call, access))
      if (verdict.decision === 'allow') return tool.access ? { input, access } : { input }
      if (verdict.decision === 'deny') return refuse(call, access, verdict.reason, 'rule')
      if (call.isHeadless)
        return refuse(call, access, `${verdict.reason} Nobody is there to be asked.`, 'headless')
      return settle(call, access, await ask(call, session, access, verdict))
    },

    async onEnd(tx, runId) {
      for (const approval of await tx.cancelApprovals(runId))
        await tellApproval(tx, 'approval-settled', approval)
    },

    // reading is most of what is done, and changes nothing
    async done(call, { access, approvedBy }, result) {
      if (!access || (access.effect === 'read' && approvedBy === undefined)) return
      await recordCall(store, call, access, { result, ...(approvedBy && { approvedBy }) })
    },
  }

  async function refuse(call: GuardedCall, access: Access, reason: string, by: Refused['by']) {
    await recordCall(store, call, access, { result: 'denied', by, reason })
    return { refused: { message: `Not allowed: ${reason}`, by, wasAsked: false } }
  }

  async function ask(call: GuardedCall, session: Session, access: Access, { reason }: Verdict) {
    const { scope, sessionId, runId, toolCallId, signal } = call
    const approval = await store.transaction(async (tx) => {
      const asked = await tx.createApproval({
        scope,
        sessionId,
        parentSessionId: session.kind === 'background' ? session.parentId : undefined,
        runId,
        toolCallId,
        toolName: call.tool.name,
        action: access.action,
        kind: kindOf(access),
        input: call.input,
        resources: [...access.resources],
        outside: [...(access.outside ?? [])],
        reason,
        ...deps.limits,
      })
      if (asked.isNew) await tellApproval(tx, 'approval-requested', asked.approval)
      return asked.approval
    })
    await call.onAsk({ id: approval.id, reason })
    return deps.waits.during(runId, signal, () => waitForAnswer(approval, signal))
  }

  async function waitForAnswer(approval: StoredApproval, signal: AbortSignal): Promise<StoredApproval> {
    const { scope, id } = approval
    for (;;) {
      signal.throwIfAborted()
      const now = await insist(() => store.getApproval(scope, id), signal)
      if (!now) throw new Error('The ask is gone, and its session with it.')
      if (now.status !== 'pending') return now
      const expired = await insist(() => expire(id), signal)
      if (expired) return expired
      await changed(id, signal)
    }
  }

  function expire(id: string): Promise<StoredApproval | undefined> {
    return store.transaction(async (tx) => {
      const expired = await tx.expireApproval(id)
      if (expired) await tellApproval(tx, 'approval-settled', expired)
      return expired
    })
  }

  /** Until somebody of this process settles it, or it is time to look for what others did. */
  function changed(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        unsubscribe()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, pollMs)
      const unsubscribe = store.subscribe((change) => {
        if (change.type === 'approval-settled' && change.id === id) done()
      })
      signal.addEventListener('abort', done)
    })
  }

  async function settle(call: GuardedCall, access: Access, approval: StoredApproval) {
    const { id, status, fallback, answer, reason, decidedBy } = approval
    const isApproved = status === 'approved' || (status === 'expired' && fallback === 'allow')
    if (!isApproved) {
      const by = status === 'expired' ? ('timeout' as const) : ('person' as const)
      const message = refusalText(approval)
      await call.onAnswer({ id, approved: false, reason: message })
      return { refused: { message, by, wasAsked: true } }
    }
    if (answer?.input !== undefined) {
      const problem = await findFault(call, answer.input)
      if (problem !== undefined) {
        await call.onAnswer({ id, approved: false, reason: problem })
        return { refused: { message: problem, by: 'rule' as const, wasAsked: true } }
      }
    }
    await call.onAnswer({ id, approved: true, reason })
    return { input: answer?.input ?? call.input, access, approvedBy: decidedBy ?? 'nobody in time' }
  }

  /** A person may change what is asked for, but not past what rules forbid or what the session can reach. */
  async function findFault(
    { tool, scope, sessionId }: GuardedCall,
    input: unknown,
  ): Promise<string | undefined> {
    const parsed = tool.input.safeParse(input)
    if (!parsed.success) return 'The changed input does not fit the tool.'
    const session = await store.requireSession(scope, sessionId)
    const workspaces = await readWorkspaces(session)
    const access = accessOf(tool, parsed.data, workspaces)
    const verdict = decide(await readAuthority(deps, session, workspaces.main), {
      ...access,
      tool: tool.name,
    })
    return verdict.decision === 'deny' || access.outside?.length
      ? `Not allowed: ${verdict.reason}`
      : undefined
  }
}

const toCall = ({ tool }: GuardedCall, access: Access): Call => ({ ...access, tool: tool.name })

function kindOf({ effect, outside }: Access): Approval['kind'] {
  if (outside?.length) return 'file_access'
  return (
    { write: 'file_change', execute: 'terminal_command', network: 'network_access', read: 'custom' } as const
  )[effect]
}

function refusalText({ status, answer }: StoredApproval): string {
  if (status === 'expired') return 'Nobody answered in time, so the call was not made.'
  if (status === 'cancelled') return 'The turn was stopped before anybody answered.'
  return answer?.message
    ? `The user said no: ${answer.message}`
    : 'The user said no. Do not try the same again.'
}

/** Told to those who follow the scope; last in its transaction. */
export const tellApproval = async (
  tx: StoreOperations,
  type: 'approval-requested' | 'approval-settled',
  { id, scope, sessionId, parentSessionId, runId, toolName, action, status }: Approval,
): Promise<void> => {
  const data = {
    approvalId: id,
    runId,
    toolName,
    action,
    status,
    ...(parentSessionId && { parentSessionId }),
  }
  await tx.recordEvent(scope, { type, sessionId, data })
}

/** What a model wanted to do and could not. */
export const recordCall = (
  store: StoreOperations,
  { scope, sessionId, tool, toolCallId }: Pick<GuardedCall, 'scope' | 'sessionId' | 'tool' | 'toolCallId'>,
  { action, resources }: Access,
  { result, ...detail }: { result: 'success' | 'error' | 'denied' } & Record<string, unknown>,
): Promise<void> =>
  store.recordAudit(scope, {
    actor: { type: 'agent', id: sessionId },
    action,
    resourceType: tool.name,
    resourceId: toolCallId,
    sessionId,
    result,
    detail: { ...detail, resources: resources.slice(0, 20).map((resource) => resource.slice(0, 1_000)) },
  })
