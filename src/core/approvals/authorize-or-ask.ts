import { isAbsolute } from 'node:path'
import type { Logger } from 'pino'
import { findRealPath } from '../files/real-path.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Approval } from '../protocol/approval.ts'
import type { Session } from '../protocol/session.ts'
import { insist, type SlotWaits } from '../runs/wait-for-slot.ts'
import { recordApprovalEvents } from '../runs/approval-events.ts'
import type { ReadWorkspaces } from '../sessions/session-workspaces.ts'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { Admitted, CallGuard, GuardedCall, HookTrace, Refused } from '../tools/call-outcome.ts'
import { type Call, decide, type Verdict } from '../tools/permission.ts'
import { type Access, accessOf } from '../tools/tool.ts'
import { readAgreed } from './approved-input.ts'
import { askProgram, type OnApproval } from './ask-program.ts'
import { recordedResources } from './recorded-resources.ts'
import { type AuthorityDeps, readAuthority } from './authority.ts'
import { consult, type Consulted, toHooked } from './consult-hooks.ts'

export interface GuardDeps extends Omit<AuthorityDeps, 'store'> {
  store: Store
  readWorkspaces: ReadWorkspaces
  waits: SlotWaits
  limits: ApprovalLimits
  hooks?: Hooks
  /** A program that is asked beside people. */
  onApproval?: OnApproval
  logger: Logger
}

export interface ApprovalLimits {
  /** How long a person has to answer. */
  timeoutMs: number
  /** What counts when nobody does. */
  fallback: 'allow' | 'deny'
}

export const defaultApprovalLimits: ApprovalLimits = { timeoutMs: 300_000, fallback: 'deny' }

/** Another node may have received the answer; only the store knows. */
const pollMs = 500

/**
 * Decides about calls by mode, rules and hooks, and asks a person where these require it. The ask is stored before anybody waits: a
 * process that resumes the run finds it, answered or not.
 */
export function createCallGuard(deps: GuardDeps): CallGuard {
  const { store, readWorkspaces, hooks } = deps
  return {
    async admit(call) {
      const { tool, scope, sessionId } = call
      // a task must be able to submit its result
      if (tool.endsTurn) return { input: call.input }
      const session = await store.requireSession(scope, sessionId)
      const workspaces = await readWorkspaces(session)
      const consulted = await nameRealFiles(await consult(hooks, call, workspaces))
      const { opinion } = consulted.advice
      if (opinion?.decision === 'deny') return refuse(call, consulted, { ...opinion, by: 'hook' })
      const authority = await readAuthority(deps, session, workspaces.main)
      const verdict = decide(authority, toCall(call, consulted), opinion)
      if (verdict.decision === 'allow') return admitted(consulted, verdict)
      if (verdict.decision === 'deny') return refuse(call, consulted, verdict)
      if (call.isHeadless) {
        const reason = `${verdict.reason} Nobody is there to be asked.`
        return refuse(call, consulted, { ...verdict, reason }, 'headless')
      }
      return settle(call, consulted, verdict, await ask(call, session, consulted, verdict))
    },

    async mayContinue(call, { input, access }, resource) {
      if (!access) return true
      const session = await store.requireSession(call.scope, call.sessionId)
      const authority = await readAuthority(deps, session, undefined)
      const { decision, by } = decide(authority, {
        ...toCall(call, { access, input }),
        resources: [resource],
      })
      return decision === 'allow' || (decision === 'ask' && by === 'mode')
    },

    async onEnd(tx, runId) {
      for (const approval of await tx.cancelApprovals(runId))
        await recordApprovalEvents(tx, 'approval-settled', approval)
    },

    async done(call, admission, outcome) {
      await record(call, admission, 'value' in outcome ? 'success' : 'error')
      // an interruption is reported as one
      if (!hooks || call.signal.aborted) return { outcome, notes: [] }
      const { input, access } = admission
      const reviewed = await hooks.afterCall(toHooked(call, input, access), outcome, call.signal)
      const { changedBy } = reviewed
      if (changedBy.length > 0)
        await recordCall(store, call, changedResult, { result: 'success', hooks: { changedBy } })
      return reviewed
    },
  }

  /** Reading is most of what is done, and changes nothing. */
  async function record(
    call: GuardedCall,
    { access, approvedBy, hooks: took }: Admitted,
    result: 'success' | 'error',
  ) {
    if (!access || (access.effect === 'read' && approvedBy === undefined && !took)) return
    await recordCall(store, call, access, {
      result,
      ...(approvedBy && { approvedBy }),
      ...(took && { hooks: took }),
    })
  }

  async function refuse(
    call: GuardedCall,
    consulted: Consulted,
    { reason, by: decider }: Pick<Verdict, 'reason' | 'by'>,
    by: Refused['by'] = decider === 'hook' ? 'hook' : 'rule',
  ) {
    const { access, advice } = consulted
    await recordCall(store, call, access, { result: 'denied', by, reason, ...traceOf(consulted, decider) })
    return {
      refused: { message: `Not allowed: ${reason}`, by, wasAsked: false, notes: advice.notes },
    }
  }

  async function ask(call: GuardedCall, session: Session, { input, access }: Consulted, { reason }: Verdict) {
    const { scope, sessionId, runId, toolCallId, signal } = call
    // of one that was asked before nobody is shown more: it may be under way by now
    const seen = await call.tool.preview?.(input, { scope, sessionId }).then(
      (preview) => ({ preview }),
      (error: unknown) => ({ error }),
    )
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
        input,
        resources: [...access.resources],
        outside: [...(access.outside ?? [])],
        reason,
        ...(seen && 'preview' in seen && seen.preview),
        ...deps.limits,
        // silence is nobody's yes where a person has to be asked
        ...(access.mustAsk !== undefined && { fallback: 'deny' as const }),
      })
      // one that was asked before may have been done by now
      if (asked.isNew) await call.tool.check?.(tx, input, call)
      if (asked.isNew && seen && 'error' in seen) throw seen.error
      if (asked.isNew) await recordApprovalEvents(tx, 'approval-requested', asked.approval)
      return asked.approval
    })
    await call.onAsk({ id: approval.id, reason })
    return deps.waits.during(runId, signal, () => askAndWait(approval, signal))
  }

  /** Whoever continues the run asks the program again, as long as nobody has answered. */
  async function askAndWait(approval: StoredApproval, signal: AbortSignal): Promise<StoredApproval> {
    const { onApproval, logger } = deps
    if (!onApproval || approval.status !== 'pending') return waitForAnswer(approval, signal)
    const settled = new AbortController()
    void askProgram({ store, logger, onApproval }, approval, AbortSignal.any([signal, settled.signal]))
    try {
      return await waitForAnswer(approval, signal)
    } finally {
      settled.abort()
    }
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
      if (expired) await recordApprovalEvents(tx, 'approval-settled', expired)
      return expired
    })
  }

  /** Until this process settles it, or it is time to check what others did. */
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

  async function settle(call: GuardedCall, consulted: Consulted, verdict: Verdict, approval: StoredApproval) {
    const { id, status, fallback, reason, decidedBy } = approval
    const { notes } = consulted.advice
    const isApproved = status === 'approved' || (status === 'expired' && fallback === 'allow')
    if (!isApproved) {
      const by = status === 'expired' ? ('timeout' as const) : ('person' as const)
      const message = refusalText(approval)
      if (status !== 'cancelled')
        await recordCall(store, call, consulted.access, { result: 'denied', by, reason: message, decidedBy })
      await call.onAnswer({ id, approved: false, reason: message })
      return { refused: { message, by, wasAsked: true, notes } }
    }
    const agreed = await readWhatMayRun(call, consulted, approval)
    if ('fault' in agreed) {
      await call.onAnswer({ id, approved: false, reason: agreed.fault })
      return { refused: { message: agreed.fault, by: 'rule' as const, wasAsked: true, notes } }
    }
    await call.onAnswer({ id, approved: true, reason })
    const shown = store.facets.previewOf(approval)
    return {
      ...admitted(consulted, verdict),
      ...agreed,
      approvedBy: decidedBy ?? 'nobody in time',
      ...(shown && { agreed: shown }),
    }
  }

  async function readWhatMayRun(
    call: GuardedCall,
    consulted: Consulted,
    approval: StoredApproval,
  ): Promise<{ input: unknown; access: Access } | { fault: string }> {
    const agreed = readAgreed(call.tool, consulted.input, approval)
    if ('fault' in agreed) return agreed
    const { input, isOther } = agreed
    const looked = isOther ? await checkChanged(call, input) : consulted
    return 'fault' in looked ? looked : { input, access: looked.access }
  }

  /** A person may change the request, but not beyond what rules and hooks forbid or what the session can reach. */
  async function checkChanged(
    call: GuardedCall,
    input: unknown,
  ): Promise<{ access: Access } | { fault: string }> {
    const { tool, scope, sessionId } = call
    const session = await store.requireSession(scope, sessionId)
    const workspaces = await readWorkspaces(session)
    const { opinion } = (await consult(hooks, { ...call, input }, workspaces)).advice
    if (opinion?.decision === 'deny') return { fault: `Not allowed: ${opinion.reason}` }
    const { access } = await nameRealFiles({ access: accessOf(tool, input, workspaces) })
    const authority = await readAuthority(deps, session, workspaces.main)
    const verdict = decide(authority, toCall(call, { access, input }))
    return verdict.decision === 'deny' || access.outside?.length
      ? { fault: `Not allowed: ${verdict.reason}` }
      : { access }
  }
}

/** A link is what it leads to, for rules as well as for the person who is asked. */
async function nameRealFiles<Looked extends { access: Access }>(looked: Looked): Promise<Looked> {
  const { access } = looked
  if (access.effect !== 'read' && access.effect !== 'write') return looked
  const files = access.resources.filter((resource) => isAbsolute(resource))
  if (files.length === 0) return looked
  const real = await Promise.all(files.map(findRealPath))
  return { ...looked, access: { ...access, resources: [...new Set([...access.resources, ...real])] } }
}

// what a hook made of a result
const changedResult: Access = { action: 'change_result', effect: 'read', resources: [] }

const admitted = (consulted: Consulted, verdict: Verdict): Admitted => ({
  input: consulted.input,
  access: consulted.access,
  notes: consulted.advice.notes,
  ...traceOf(consulted, verdict.by),
})

function traceOf({ advice: { opinion, changedBy } }: Consulted, by: Verdict['by']): { hooks?: HookTrace } {
  const decidedBy = by === 'hook' ? opinion?.hook : undefined
  const hooks = { ...(decidedBy !== undefined && { decidedBy }), ...(changedBy.length > 0 && { changedBy }) }
  return Object.keys(hooks).length > 0 ? { hooks } : {}
}

const toCall = ({ tool }: GuardedCall, { access, input }: Pick<Consulted, 'access' | 'input'>): Call => ({
  ...access,
  tool: tool.name,
  input,
})

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
    detail: { ...detail, ...recordedResources(resources) },
  })
