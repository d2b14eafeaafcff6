import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { StoreOperations } from '../store/store.ts'
import type { CallGuard } from '../tools/call-guard.ts'
import { decide } from '../tools/permission.ts'
import { accessOf } from '../tools/tool.ts'

/** What the model of an agent may do with its tools. */
export interface AgentPermissions {
  mode?: PermissionMode
  /** In order: the first that fits counts; a no of the session counts as well. */
  rules?: readonly PermissionRule[]
  /** The folder that relative patterns start from. */
  root?: string
  /** Answers whether a call may be made that rules or mode would ask about; default no. */
  onAsk?(call: AskedCall): boolean | Promise<boolean>
}

export interface AskedCall {
  tool: string
  action: string
  input: unknown
  resources: readonly string[]
  reason: string
}

/** The program is there to be asked as long as its agent is, so nothing of an ask is stored. */
export function createAgentGuard(
  store: StoreOperations,
  { mode = 'default', rules = [], root, onAsk }: AgentPermissions,
): CallGuard {
  return {
    async admit({ tool, scope, sessionId, input }) {
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
      const { action, resources } = access
      const isAllowed = await onAsk({ tool: tool.name, action, input, resources, reason })
      return isAllowed ? { input } : refuse('person')
    },
  }
}
