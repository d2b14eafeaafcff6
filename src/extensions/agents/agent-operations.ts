import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import {
  agentListQuerySchema,
  agentNameSchema,
  agentPageSchema,
  agentSchema,
  createAgentSchema,
  updateAgentSchema,
} from './protocol/agent.ts'
import { createAgent, deleteAgent, getAgent, listAgents, updateAgent } from './agents.ts'
import type { AgentDeps } from './agents.ts'

const agents = operationsOf<AgentDeps>('agents')
const params = { name: agentNameSchema }

export const agentOperations = {
  /** Those of a scope by name, wherever they come from. */
  list: agents.read('/api/agents', {
    summary: 'List agents by name: stored ones, those from files, and those that come with Parley',
    input: agentListQuerySchema,
    output: agentPageSchema,
    returns: 'A page of agents',
    run: ({ tx, pages, deps, caller }, _, page) => listAgents(deps, tx, pages, caller, page),
  }),
  /** The name of one from a file, or that comes with Parley, hides that one. */
  create: agents.write('POST', '/api/agents', {
    summary: 'Store an agent; it hides one of its name from a file, or one that comes with Parley',
    input: createAgentSchema,
    output: agentSchema,
    status: 201,
    returns: 'The agent',
    run: ({ tx, deps, caller }, _, input) => createAgent(deps, tx, caller, input),
  }),
  get: agents.read('/api/agents/{name}', {
    params,
    summary: 'Get an agent, wherever it comes from',
    output: agentSchema,
    returns: 'The agent',
    run: ({ tx, deps, caller }, { name }) => getAgent(deps, tx, caller, name),
  }),
  /** Of those that are stored; `null` takes a value away. */
  update: agents.write('PATCH', '/api/agents/{name}', {
    params,
    summary: 'Change a stored agent; 409 for one that is not stored',
    input: updateAgentSchema,
    output: agentSchema,
    returns: 'The agent as it is now',
    run: ({ tx, deps, caller }, { name }, patch) => updateAgent(deps, tx, caller, name, patch),
  }),
  /** Deletes a stored agent. Its rooms continue without it. */
  delete: agents.remove('/api/agents/{name}', {
    params,
    summary: 'Delete a stored agent; 409 for one that is not stored. Rooms continue without it',
    returns: 'It is deleted',
    run: ({ tx, deps, caller }, { name }) => deleteAgent(deps, tx, caller, name),
  }),
}

/** What one can do with agents: the same calls in the process and over HTTP. Names count whatever their case. */
export type Agents = Calls<typeof agentOperations>
