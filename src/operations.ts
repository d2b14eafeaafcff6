import { approvalOperationsOf } from './core/approvals/operations.ts'
import type { CatalogueDeps } from './core/catalogue/open-catalogue.ts'
import {
  catalogueOperations,
  modelOperations,
  providerOperations,
  settingsOperationsOf,
} from './core/catalogue/operations.ts'
import { toolCallOperations } from './core/chat/call-operations.ts'
import { runOperations } from './core/chat/run-operations.ts'
import { sessionOperationsOf, type SessionServices } from './core/chat/session-operations.ts'
import type { DocumentLimits } from './extensions/documents/document-caller.ts'
import { lockOperations } from './extensions/documents/lock-operations.ts'
import { documentOperations } from './extensions/documents/operations.ts'
import { todoOperations } from './extensions/documents/todo-operations.ts'
import type { KnowledgeDeps } from './extensions/knowledge/knowledge-service.ts'
import { knowledgeOperations } from './extensions/knowledge/operations.ts'
import { mcpOperations, type McpServices } from './extensions/mcp/operations.ts'
import { memoryOperations, type MemoryServices } from './extensions/memory/operations.ts'
import { builtIn } from './extensions/built-in.ts'
import { joinFacets } from './core/protocol/joined-facets.ts'
import type { Calls } from './core/operations/calls.ts'
import type { PlanDeps } from './extensions/plan/plan-service.ts'
import { planOperations } from './extensions/plan/operations.ts'
import { agentOperations } from './extensions/agents/agent-operations.ts'
import type { AgentDeps } from './extensions/agents/agents.ts'
import type { RoomDeps } from './extensions/room/room-service.ts'
import { roomOperationsOf } from './extensions/room/operations.ts'
import { threadOperations } from './core/chat/thread-operations.ts'
import type { ScheduleDeps } from './extensions/schedule/schedule-service.ts'
import { cronOperations, eventHookOperations } from './extensions/schedule/operations.ts'
import { audit, search, usage } from './core/chat/scope-operations.ts'
import type { WebhookDeps } from './extensions/webhook/webhook-service.ts'
import { webhookOperations } from './extensions/webhook/operations.ts'
import { workflowOperationsOf } from './extensions/workflow/operations.ts'
import type { WorkflowServices } from './extensions/workflow/workflow-files.ts'

/** What sessions are with the extensions that come with Parley. */
const { schemas, settingsSchemas, approvalSchemas } = joinFacets(builtIn)

/** Every operation, by the name under which library and client have it. */
export const operations = {
  sessions: sessionOperationsOf(schemas),
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
  workflows: workflowOperationsOf(schemas),
  /** Trees of work, and what is done with them. */
  plans: planOperations,
  /** Who can be in rooms. */
  agents: agentOperations,
  /** What sessions are grouped in. */
  threads: threadOperations,
  /** Sessions of several agents. */
  rooms: roomOperationsOf(schemas),
  /** What waits for a person's yes or no. */
  approvals: approvalOperationsOf(approvalSchemas),
  /** What turns wait for from those who brought tools. */
  toolCalls: toolCallOperations,
  /** Texts of a scope with their versions. */
  documents: documentOperations,
  todos: todoOperations,
  /** What sessions hold of documents and todo lists. */
  locks: lockOperations,
  /** What is remembered beyond the log. */
  memories: memoryOperations,
  /** A graph of what documents and imports state. */
  knowledge: knowledgeOperations,
  /** Available models, including those that providers list. */
  models: modelOperations,
  /** Keys that Parley keeps itself. */
  providers: providerOperations,
  /** Defaults of a scope for its sessions. */
  settings: settingsOperationsOf(settingsSchemas),
  /** Tools, rules, skills, commands and files of a scope. */
  catalogue: catalogueOperations,
  /** The MCP servers whose tools models may use here. */
  mcp: mcpOperations,
}

/** What operations run with, by their names, for surfaces of another shape. */
export interface OperationServices {
  sessions: SessionServices
  crons: ScheduleDeps
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

/** All of them as calls; the same in the process and over HTTP. */
export type OperationCalls = Calls<typeof operations>
