import { approvalOperations } from '../approvals/operations.ts'
import type { CatalogueDeps } from '../catalogue/deps.ts'
import {
  catalogueOperations,
  modelOperations,
  providerOperations,
  settingsOperations,
} from '../catalogue/operations.ts'
import { runOperations } from '../chat/run-operations.ts'
import { sessionOperations, type SessionServices } from '../chat/session-operations.ts'
import type { DocumentLimits } from '../../extensions/documents/caller.ts'
import { lockOperations } from '../../extensions/documents/lock-operations.ts'
import { documentOperations } from '../../extensions/documents/operations.ts'
import { todoOperations } from '../../extensions/documents/todo-operations.ts'
import type { KnowledgeDeps } from '../../extensions/knowledge/deps.ts'
import { knowledgeOperations } from '../../extensions/knowledge/operations.ts'
import { mcpOperations, type McpServices } from '../../extensions/mcp/operations.ts'
import { memoryOperations, type MemoryServices } from '../../extensions/memory/operations.ts'
import { createCalls, type BoundOperations, type Calls, type CallsDeps } from '../operations/calls.ts'
import type { PlanDeps } from '../../extensions/plan/deps.ts'
import { planOperations } from '../../extensions/plan/operations.ts'
import { agentOperations } from '../../extensions/agents/agent-operations.ts'
import type { AgentDeps } from '../../extensions/agents/agents.ts'
import type { RoomDeps } from '../../extensions/room/deps.ts'
import { roomOperations } from '../../extensions/room/operations.ts'
import { threadOperations } from '../../extensions/room/thread-operations.ts'
import type { ScheduleDeps } from '../../extensions/schedule/deps.ts'
import { cronOperations, eventHookOperations } from '../../extensions/schedule/operations.ts'
import { audit, search, usage } from '../chat/scope-operations.ts'
import type { WebhookDeps } from '../../extensions/webhook/deps.ts'
import { webhookOperations } from '../../extensions/webhook/operations.ts'
import { workflowOperations } from '../../extensions/workflow/operations.ts'
import type { WorkflowServices } from '../../extensions/workflow/services.ts'

/** Every operation, by the name under which library and client have it. */
export const operations = {
  sessions: sessionOperations,
  /** The ledger of runs, and what the model saw in each. */
  runs: runOperations,
  audit,
  usage,
  search,
  /** Prompts that start background sessions by time. */
  crons: cronOperations,
  /** Prompts that start background sessions when something happens. */
  eventHooks: eventHookOperations,
  /** URLs that are called when something happens. */
  webhooks: webhookOperations,
  /** Definitions of several steps, and their runs. */
  workflows: workflowOperations,
  /** Trees of work, and what is done with them. */
  plans: planOperations,
  /** Who can be in rooms. */
  agents: agentOperations,
  /** What sessions are grouped in. */
  threads: threadOperations,
  /** Sessions of several agents. */
  rooms: roomOperations,
  /** What waits for a person's yes or no. */
  approvals: approvalOperations,
  /** Texts of a scope with their versions. */
  documents: documentOperations,
  todos: todoOperations,
  /** What sessions hold of documents and todo lists. */
  locks: lockOperations,
  /** What is remembered beyond the log. */
  memories: memoryOperations,
  /** What documents and imports say of things. */
  knowledge: knowledgeOperations,
  /** Which models there are, and what providers say they have. */
  models: modelOperations,
  /** Keys that Parley keeps itself. */
  providers: providerOperations,
  /** What holds in a scope for sessions that say nothing else. */
  settings: settingsOperations,
  /** Tools, rules, skills, commands and files of a scope. */
  catalogue: catalogueOperations,
  /** The MCP servers whose tools models may use here. */
  mcp: mcpOperations,
}

/** What operations run with, by their names; those that need nothing are left out. */
export interface OperationServices {
  sessions: SessionServices
  schedule: ScheduleDeps
  webhooks: WebhookDeps
  workflows: WorkflowServices
  plans: PlanDeps
  agents: AgentDeps
  rooms: RoomDeps
  documents: DocumentLimits
  memories: MemoryServices
  knowledge: KnowledgeDeps
  catalogue: CatalogueDeps
  mcp: McpServices
}

// those that share the services of others
const servicesNamed: Partial<Record<keyof typeof operations, keyof OperationServices>> = {
  runs: 'sessions',
  usage: 'sessions',
  threads: 'sessions',
  crons: 'schedule',
  eventHooks: 'schedule',
  models: 'catalogue',
  providers: 'catalogue',
  settings: 'catalogue',
}

/** All of them as calls; the same in the process and over HTTP. */
export type OperationCalls = Calls<typeof operations>

/** With their services: for the server, and as the calls of the library. */
export function bindOperations(services: OperationServices, deps: CallsDeps) {
  const bound = Object.entries(operations).map(([name, entry]): BoundOperations => {
    const known = servicesNamed[name as keyof typeof operations] ?? name
    return { name, operations: entry, deps: services[known as keyof OperationServices] }
  })
  const calls = Object.fromEntries(bound.map((one) => [one.name, createCalls(one, deps)]))
  return { bound, calls: calls as unknown as OperationCalls }
}
