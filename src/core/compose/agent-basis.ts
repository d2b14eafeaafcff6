import type { AgentBasis } from '../chat/agent-basis.ts'
import { decideApproval } from '../approvals/approvals.ts'
import type { ChatLimits } from '../chat/turn-limits.ts'
import type { RunEngineOptions } from '../runs/run-engine.ts'
import type { Base } from './infrastructure.ts'
import type { ParleyOptions } from './options.ts'
import type { Rights } from './session-rights.ts'

/** What `createAgent({ parley })` takes over. */
export const composeAgentBasis = (
  { requireModel, readWorkspaces, windowOptions, clock, logger }: Base,
  { readGroups, guardOver }: Rights,
  { prices }: ParleyOptions,
  more: { limits: ChatLimits; aroundRun: RunEngineOptions['aroundRun'] },
): AgentBasis => ({
  requireModel,
  readGroups,
  readWorkspaces,
  prices,
  clock,
  logger,
  windows: windowOptions,
  guardOver,
  async answerAsk(store, scope, approvalId, isAllowed) {
    const program = { scope, actor: { type: 'user' as const, id: 'library' }, seesAllScopes: true }
    await decideApproval(store, program, approvalId, { decision: isAllowed ? 'approve' : 'deny' })
  },
  ...more,
})
