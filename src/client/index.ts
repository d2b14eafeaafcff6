import type { Sessions } from '../chat/session-operations.ts'
import type { OperationCalls } from '../compose/operations.ts'
import type { EventFrame } from '../protocol/event-socket.ts'
import { joinManagement } from '../protocol/workflows.ts'
import type { Workflows } from '../workflow/operations.ts'
import { followEvents, type EventsOptions } from './events.ts'
import { createSend, type ClientOptions } from './http.ts'
import { createCalls } from './operation-calls.ts'
import { operationTable } from './operation-table.ts'
import { createSessionStreams } from './session-streams.ts'

export interface ParleyClient extends Omit<OperationCalls, 'sessions' | 'workflows'> {
  sessions: Sessions
  workflows: Workflows
  /** What happens in a scope, from now on or after a number; goes on over connections that break, and misses nothing. */
  events(options?: EventsOptions): AsyncIterable<EventFrame>
}

/** A Parley somewhere else, over HTTP; works in Node and in browsers. */
export function createClient(options: ClientOptions = {}): ParleyClient {
  const send = createSend(options)
  const calls = createCalls(operationTable, send) as unknown as OperationCalls
  return {
    ...calls,
    sessions: { ...calls.sessions, ...createSessionStreams(send) },
    workflows: joinManagement(calls.workflows),
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
export type { Agent, AgentPage, CreateAgent, UpdateAgent } from '../protocol/agent.ts'
export type { Approval, ApprovalPage, DecideApproval } from '../protocol/approval.ts'
export type {
  CreateMemory,
  ListedMemory,
  Memory,
  MemoryLayer,
  MemoryListQuery,
  MemoryPage,
  MemoryType,
  UpdateMemory,
} from '../protocol/memory.ts'
export type { AuditPage, AuditQuery, AuditRecord } from '../protocol/audit.ts'
export type { Documents } from '../documents/operations.ts'
export type { CreateDocument, Document, DocumentDiff, DocumentPage } from '../protocol/document.ts'
export type {
  EntityPage,
  ExtractKnowledge,
  GivenTriple,
  ImportKnowledge,
  KnowledgeAnswer,
  KnowledgeExtraction,
  KnowledgeImported,
  KnowledgeQuery,
  KnowledgeSource,
  KnowledgeSourcePage,
  KnowledgeStats,
} from '../protocol/knowledge.ts'
export type { Lock, LockList } from '../protocol/lock.ts'
export type { CreateThread, Thread, ThreadPage, UpdateThread } from '../protocol/thread.ts'
export type { CreateTodoList, TodoItem, TodoList, TodoPage } from '../protocol/todo.ts'
export type { QueuePage, SteeredInput } from '../protocol/queue.ts'
export type { SearchPage, SearchQuery } from '../protocol/search.ts'
export type { SessionUsage, UsagePage, UsageQuery } from '../protocol/usage.ts'
export type { CreateCron, Cron, CronFire, CronPreview } from '../protocol/cron.ts'
export type { CreateEventHook, EventHook } from '../protocol/event-hook.ts'
export type { CreateWebhook, Webhook, WebhookDelivery } from '../protocol/webhook.ts'
export type { PromptPreview, RunPrompt, SentPrompt } from '../protocol/prompt.ts'
export type { GroupSwitches, PermissionMode, PermissionRule } from '../protocol/permission.ts'
export type { ClientOptions } from './http.ts'
export type { EventsOptions } from './events.ts'
export type { CreateBackground, TaskResult } from '../protocol/background.ts'
export type {
  CommandList,
  FileList,
  FileQuery,
  RuleList,
  SkillList,
  ToolList,
} from '../protocol/catalogue.ts'
export type { McpServerList, McpServerStatus } from '../protocol/mcp.ts'
export type { Model, ModelList, Provider, ProviderName, PutProvider } from '../protocol/models.ts'
export type { CreatePlan, Plan, PlanPage, PlanTree, PlanVersion } from '../protocol/plan.ts'
export type { Plans } from '../plan/operations.ts'
export type { PlanRun, PlanRunPage, PlanRunSummary, PlanStep } from '../protocol/plan-run.ts'
export type { CreateNode, PlanNode, TreeNode } from '../protocol/plan-node.ts'
export type { Advance, RoomMode, RoomRecord, Round, RoundPage, SetMode } from '../protocol/room.ts'
export type { SettingsView, UpdateSettings } from '../protocol/settings.ts'
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
export type { Agents } from '../room/agent-operations.ts'
export type { Approvals } from '../approvals/operations.ts'
export type { Memories } from '../memory/operations.ts'
export type { Knowledge } from '../knowledge/operations.ts'
export type { Locks } from '../documents/lock-operations.ts'
export type { Threads } from '../room/thread-operations.ts'
export type { Todos } from '../documents/todo-operations.ts'
export type { Sessions } from '../chat/session-operations.ts'
export type { Crons, EventHooks } from '../schedule/operations.ts'
export type { Webhooks } from '../webhook/operations.ts'
export type { Runs } from '../chat/run-operations.ts'
export type { Catalogue, Models, Providers, Settings } from '../catalogue/operations.ts'
export type { Mcp } from '../mcp/operations.ts'
export type { Rooms } from '../room/operations.ts'
export type { Workflows } from '../workflow/operations.ts'
