import type { AgentBasis } from '../chat/agent-basis.ts'
import { decideApproval } from '../approvals/decide-approval.ts'
import type { Base } from './infrastructure.ts'
import { programIn } from '../operations/calls.ts'
import type { Rights } from './session-rights.ts'

/** What `createAgent({ parley })` takes over. */
export const composeAgentBasis = (
  { requireModel, findDefaultModel, readWorkspaces, windowOptions, knownModels, clock, logger }: Base,
  { readGroups, guardOver }: Rights,
  more: Pick<AgentBasis, 'limits' | 'aroundRun' | 'owner' | 'turnHooks'>,
): AgentBasis => ({
  requireModel,
  findDefaultModel,
  readGroups,
  readWorkspaces,
  prices: knownModels,
  clock,
  logger,
  windows: windowOptions,
  guardOver,
  async answerAsk(store, scope, approvalId, isAllowed) {
    await decideApproval(store, programIn({ scope }), approvalId, {
      decision: isAllowed ? 'approve' : 'deny',
    })
  },
  ...more,
})
