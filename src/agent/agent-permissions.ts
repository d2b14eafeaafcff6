import type { Logger } from 'pino'
import type { PermissionMode, PermissionRule } from '../core/protocol/permission.ts'
import { describeThrown } from '../core/protocol/error.ts'
import { inTime } from '../core/shared/time-limit.ts'
import type { Store } from '../core/store/store.ts'
import type { CallGuard, GuardedCall } from '../core/tools/call-outcome.ts'
import { decide } from '../core/tools/permission.ts'
import { accessOf } from '../core/tools/tool.ts'
import type { AgentBasis } from '../core/chat/agent-basis.ts'

/** What the model of an agent may do with its tools. */
export interface AgentPermissions {
  mode?: PermissionMode
  /** In order: the first that fits counts; a no of the session counts as well. */
  rules?: readonly PermissionRule[]
  /** The folder that relative patterns start from. */
  root?: string
  /** Returns whether to allow a call that rules or mode would ask about; default no. In a Parley, its people are asked instead. */
  onAsk?(call: AskedCall): boolean | Promise<boolean>
  /** How long it has for that; no answer is a no. Default 300,000. */
  timeoutMs?: number
}

export interface AskedCall {
  tool: string
  action: string
  input: unknown
  resources: readonly string[]
  reason: string
}

/** Permissions of the agent itself. The program can be asked as long as its agent exists, so asks are not stored. */
export function createAgentGuard(store: Store, permissions: AgentPermissions): CallGuard {
  const { mode = 'default', rules = [], root, onAsk } = permissions
  return {
    async admit(call) {
      const { tool, scope, sessionId, input } = call
      const { permissionRules = [] } = await store.requireSession(scope, sessionId)
      const access = accessOf(tool, input, { granted: [] })
      const ruleSets = [
        { origin: 'session' as const, rules: permissionRules },
        { origin: 'agent' as const, rules },
      ]
      const { decision, reason } = decide({ mode, ruleSets, root }, { ...access, tool: tool.name, input })
      if (decision === 'allow') return { input }
      const refuse = (by: 'rule' | 'person') => ({
        refused: { message: `Not allowed: ${reason}`, by, wasAsked: false },
      })
      if (decision === 'deny' || !onAsk) return refuse('rule')
      // the guard behind this one learns who approved
      return (await askProgram(permissions, call, reason))
        ? { input, approvedBy: 'program' }
        : refuse('person')
    },
  }
}

/**
 * The guard of the Parley behind that of the agent: both have to agree. What the Parley asks about, the program answers
 * if it has `onAsk`, and what it approved is not asked again.
 */
export function createParleyGuard(
  store: Store,
  basis: Pick<AgentBasis, 'guardOver' | 'answerAsk'>,
  permissions: AgentPermissions | undefined,
  logger: Logger,
): CallGuard {
  const own = permissions && createAgentGuard(store, permissions)
  const guard = basis.guardOver(store)
  return {
    ...guard,
    async admit(call) {
      const first = await own?.admit(call)
      if (first && 'refused' in first) return first
      const isAgreed = first?.approvedBy !== undefined
      const answer = async (id: string, reason: string) => {
        const isAllowed =
          isAgreed ||
          (await askProgram(permissions!, call, reason).catch((error: unknown) => {
            logger.warn({ err: error, approvalId: id }, 'onAsk failed, which counts as a no')
            return false
          }))
        await basis.answerAsk(store, call.scope, id, isAllowed)
      }
      return guard.admit({
        ...call,
        async onAsk(asked) {
          await call.onAsk(asked)
          if (isAgreed || permissions?.onAsk)
            answer(asked.id, asked.reason).catch((error: unknown) =>
              logger.warn(
                { err: error, approvalId: asked.id },
                'an ask could not be answered by the program',
              ),
            )
        },
      })
    },
  }
}

function askProgram(
  { onAsk, timeoutMs = 300_000 }: AgentPermissions,
  { tool, input, signal }: GuardedCall,
  reason: string,
): Promise<boolean> {
  const { action, resources } = accessOf(tool, input, { granted: [] })
  const late = `Not allowed: ${reason} There was no answer within ${timeoutMs} ms.`
  return inTime({ timeoutMs, signal, late }, async () => {
    try {
      return await onAsk!({ tool: tool.name, action, input, resources, reason })
    } catch (error) {
      throw new Error(`Not allowed: ${reason} onAsk failed: ${describeThrown(error)}`, { cause: error })
    }
  })
}
