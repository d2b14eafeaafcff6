import type { EventFrame } from '../protocol/event-socket.ts'
import type { Agents } from '../protocol/agent.ts'
import type { Approvals } from '../protocol/approval.ts'
import type { Catalogue } from '../protocol/catalogue.ts'
import type { Crons } from '../protocol/cron.ts'
import type { Documents } from '../protocol/document.ts'
import type { EventHooks } from '../protocol/event-hook.ts'
import type { Mcp } from '../protocol/mcp.ts'
import type { Knowledge } from '../protocol/knowledge.ts'
import type { Locks } from '../protocol/lock.ts'
import type { Memories } from '../protocol/memory.ts'
import type { Models, Providers } from '../protocol/models.ts'
import type { Plans } from '../protocol/plans.ts'
import type { Rooms } from '../protocol/rooms.ts'
import type { ScopeReader } from '../protocol/scope-reader.ts'
import type { Runs } from '../protocol/prompt.ts'
import type { Sessions } from '../protocol/sessions.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Threads } from '../protocol/thread.ts'
import type { Todos } from '../protocol/todo.ts'
import type { Webhooks } from '../protocol/webhook.ts'
import type { Workflows } from '../protocol/workflows.ts'
import { createWorkbenchClient } from './workbench.ts'
import { createAgentsClient } from './agents.ts'
import { createApprovalsClient } from './approvals.ts'
import { createCronsClient, createEventHooksClient } from './crons.ts'
import { createDocumentsClient, createLocksClient, createTodosClient } from './documents.ts'
import { followEvents, type EventsOptions } from './events.ts'
import { createSend, type ClientOptions } from './http.ts'
import { createKnowledgeClient } from './knowledge.ts'
import { createMemoriesClient } from './memories.ts'
import { createPlansClient } from './plans.ts'
import { createRoomsClient } from './rooms.ts'
import { createScopeReaderClient } from './scope-reader.ts'
import { createRunsClient } from './runs.ts'
import { createSessionsClient } from './sessions.ts'
import { createThreadsClient } from './threads.ts'
import { createWebhooksClient } from './webhooks.ts'
import { createWorkflowsClient } from './workflows.ts'

export interface ParleyClient extends ScopeReader {
  sessions: Sessions
  crons: Crons
  eventHooks: EventHooks
  /** URLs that are called when something happens. */
  webhooks: Webhooks
  /** Definitions of several steps, and their runs. */
  workflows: Workflows
  /** Trees of work, and what is done with them. */
  plans: Plans
  /** Who can be in rooms. */
  agents: Agents
  /** What sessions are grouped in. */
  threads: Threads
  /** Sessions of several agents. */
  rooms: Rooms
  approvals: Approvals
  documents: Documents
  todos: Todos
  locks: Locks
  /** What is remembered beyond the log. */
  memories: Memories
  /** What documents and imports say of things. */
  knowledge: Knowledge
  models: Models
  providers: Providers
  settings: Settings
  catalogue: Catalogue
  mcp: Mcp
  runs: Runs
  /** What happens in a scope, from now on or after a number; goes on over connections that break, and misses nothing. */
  events(options?: EventsOptions): AsyncIterable<EventFrame>
}

/** A Parley somewhere else, over HTTP; works in Node and in browsers. */
export function createClient(options: ClientOptions = {}): ParleyClient {
  const send = createSend(options)
  return {
    sessions: createSessionsClient(send),
    crons: createCronsClient(send),
    eventHooks: createEventHooksClient(send),
    webhooks: createWebhooksClient(send),
    workflows: createWorkflowsClient(send),
    plans: createPlansClient(send),
    agents: createAgentsClient(send),
    threads: createThreadsClient(send),
    rooms: createRoomsClient(send),
    approvals: createApprovalsClient(send),
    documents: createDocumentsClient(send),
    todos: createTodosClient(send),
    locks: createLocksClient(send),
    memories: createMemoriesClient(send),
    knowledge: createKnowledgeClient(send),
    ...createWorkbenchClient(send),
    ...createScopeReaderClient(send),
    runs: createRunsClient(send),
    events: (followed = {}) => followEvents(send, options, followed),
  }
}

export { ParleyError, type ErrorCode } from '../protocol/error.ts'
export { countMoreIssues, issuesOf, type Issue, type IssueCode, type IssueParams } from '../protocol/issue.ts'
export { isGap, type EventFrame, type EventGap } from '../protocol/event-socket.ts'
export type { ScopeEvent } from '../protocol/event.ts'
export type { Message, NewMessage, Part } from '../protocol/message.ts'
export type {
  Session,
  SessionDocument,
  SessionKind,
  SessionListItem,
  SessionPage,
  VariantList,
} from '../protocol/session.ts'
export type { Agent, AgentPage, Agents, CreateAgent, UpdateAgent } from '../protocol/agent.ts'
export type { Approval, ApprovalPage, Approvals, DecideApproval } from '../protocol/approval.ts'
export type {
  CreateMemory,
  ListedMemory,
  Memories,
  Memory,
  MemoryLayer,
  MemoryListQuery,
  MemoryPage,
  MemoryType,
  UpdateMemory,
} from '../protocol/memory.ts'
export type { AuditPage, AuditQuery, AuditRecord } from '../protocol/audit.ts'
export type { CreateDocument, Document, DocumentDiff, DocumentPage, Documents } from '../protocol/document.ts'
export type {
  EntityPage,
  ExtractKnowledge,
  GivenTriple,
  ImportKnowledge,
  Knowledge,
  KnowledgeAnswer,
  KnowledgeExtraction,
  KnowledgeImported,
  KnowledgeQuery,
  KnowledgeSource,
  KnowledgeSourcePage,
  KnowledgeStats,
} from '../protocol/knowledge.ts'
export type { Lock, LockList, Locks } from '../protocol/lock.ts'
export type { CreateThread, Thread, ThreadPage, Threads, UpdateThread } from '../protocol/thread.ts'
export type { CreateTodoList, TodoItem, TodoList, TodoPage, Todos } from '../protocol/todo.ts'
export type { QueuePage, SessionQueue, SteeredInput } from '../protocol/queue.ts'
export type { SearchPage, SearchQuery } from '../protocol/search.ts'
export type { SessionUsage, UsagePage, UsageQuery } from '../protocol/usage.ts'
export type { Sessions } from '../protocol/sessions.ts'
export type { CreateCron, Cron, CronFire, CronPreview, Crons } from '../protocol/cron.ts'
export type { CreateEventHook, EventHook, EventHooks } from '../protocol/event-hook.ts'
export type { CreateWebhook, Webhook, WebhookDelivery, Webhooks } from '../protocol/webhook.ts'
export type { PromptPreview, RunPrompt, Runs, SentPrompt } from '../protocol/prompt.ts'
export type { GroupSwitches, PermissionMode, PermissionRule } from '../protocol/permission.ts'
export type { ClientOptions } from './http.ts'
export type { EventsOptions } from './events.ts'
export type { CreateBackground, TaskResult } from '../protocol/background.ts'
export type {
  Catalogue,
  CommandList,
  FileList,
  FileQuery,
  RuleList,
  SkillList,
  ToolList,
} from '../protocol/catalogue.ts'
export type { Mcp, McpServerList, McpServerStatus } from '../protocol/mcp.ts'
export type {
  Model,
  ModelList,
  Models,
  Provider,
  ProviderName,
  Providers,
  PutProvider,
} from '../protocol/models.ts'
export type { CreatePlan, Plan, PlanPage, PlanTree, PlanVersion } from '../protocol/plan.ts'
export type { Plans } from '../protocol/plans.ts'
export type { PlanRun, PlanRunPage, PlanRunSummary, PlanStep } from '../protocol/plan-run.ts'
export type { CreateNode, PlanNode, TreeNode } from '../protocol/plan-node.ts'
export type { Advance, RoomMode, RoomRecord, Round, RoundPage, SetMode } from '../protocol/room.ts'
export type { Rooms } from '../protocol/rooms.ts'
export type { Settings, SettingsView, UpdateSettings } from '../protocol/settings.ts'
export type {
  CreateWorkflow,
  DefinitionProblem,
  Workflow,
  WorkflowPage,
  WorkflowRun,
  WorkflowRunPage,
  WorkflowStep,
  WorkflowSummary,
  WorkflowTemplate,
  WorkflowVerdict,
  WorkflowVersion,
} from '../protocol/workflow.ts'
export type { Workflows } from '../protocol/workflows.ts'
