import { defineExtension } from '../../core/extension.ts'
import { agentFiles } from './agent-files.ts'
import { agentOperations } from './agent-operations.ts'
import type { AgentDeps } from './agents.ts'
import { agentsStore } from './store/slice.ts'

/** Who can be in rooms: agents that are stored, in files, or come with Parley. */
export const agents = defineExtension<AgentDeps>({
  name: 'agents',
  store: agentsStore,
  contextFiles: agentFiles,
  create({ context, requireModel }) {
    const service: AgentDeps = { readAgentFiles: (root) => context.filesIn(agentFiles, root), requireModel }
    return { service, operations: { agents: { operations: agentOperations, deps: service } } }
  },
})
