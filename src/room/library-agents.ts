import {
  agentListQuerySchema,
  agentNameSchema,
  createAgentSchema,
  updateAgentSchema,
  type Agents,
} from '../protocol/agent.ts'
import {
  createThreadSchema,
  threadListQuerySchema,
  threadSlugSchema,
  updateThreadSchema,
  type Threads,
} from '../protocol/thread.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { Clock } from '../shared/clock.ts'
import type { Store } from '../store/store.ts'
import { createAgent, deleteAgent, getAgent, listAgents, updateAgent, type AgentDeps } from './agents.ts'
import { createThread, deleteThread, getThread, listThreads, updateThread } from './threads.ts'

/** The agents of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createAgents(deps: AgentDeps, store: Store, pages: PageLimits): Agents {
  const toName = (name: string) => check(agentNameSchema, name)
  return {
    async list(query = {}) {
      const { scope, ...page } = check(agentListQuerySchema, query)
      return listAgents(deps, store, pages, callerIn({ scope }), page)
    },
    get: async (name, options) => getAgent(deps, store, callerIn(options), toName(name)),
    async create(input) {
      const { scope, ...agent } = check(createAgentSchema, input)
      return createAgent(deps, store, callerIn({ scope }), agent)
    },
    async update(name, input) {
      const { scope, ...patch } = check(updateAgentSchema, input)
      return updateAgent(deps, store, callerIn({ scope }), toName(name), patch)
    },
    delete: async (name, options) => deleteAgent(deps, store, callerIn(options), toName(name)),
  }
}

/** The same of its threads. */
export function createThreads(store: Store, clock: Clock, pages: PageLimits): Threads {
  const toSlug = (slug: string) => check(threadSlugSchema, slug)
  return {
    async list(query = {}) {
      const { scope, ...filter } = check(threadListQuerySchema, query)
      return listThreads(store, pages, callerIn({ scope }), filter)
    },
    get: async (slug, options) => getThread(store, callerIn(options), toSlug(slug)),
    async create(input) {
      const { scope, ...thread } = check(createThreadSchema, input)
      return createThread(store, callerIn({ scope }), thread)
    },
    async update(slug, input) {
      const { scope, ...patch } = check(updateThreadSchema, input)
      return updateThread(store, clock, callerIn({ scope }), toSlug(slug), patch)
    },
    delete: async (slug, options) => deleteThread(store, callerIn(options), toSlug(slug)),
  }
}
