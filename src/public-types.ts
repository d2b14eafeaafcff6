// What of the wire both the library and the client export.
export type { Approvals } from './core/approvals/operations.ts'
export type { Catalogue, Models, Providers, Settings } from './core/catalogue/operations.ts'
export type { ToolCalls } from './core/chat/call-operations.ts'
export type { Runs } from './core/chat/run-operations.ts'
export type { ImportOutcome, ImportProgress, ImportReport } from './core/protocol/import-report.ts'
export type { Sessions } from './core/chat/session-operations.ts'
export type { Locks } from './extensions/documents/lock-operations.ts'
export type { Documents } from './extensions/documents/operations.ts'
export type { Todos } from './extensions/documents/todo-operations.ts'
export type { Knowledge } from './extensions/knowledge/operations.ts'
export type { Mcp } from './extensions/mcp/operations.ts'
export type { Memories } from './extensions/memory/operations.ts'
export type { Plans } from './extensions/plan/operations.ts'
export type { AgentPage, CreateAgent, UpdateAgent } from './extensions/agents/protocol/agent.ts'
export type { Approval, ApprovalPage, DecideApproval } from './core/protocol/approval.ts'
export type {
  AnswerCall,
  AwaitedCall,
  AwaitedCallListQuery,
  CallerTool,
} from './core/protocol/awaited-call.ts'
export type { AuditPage, AuditQuery, AuditRecord } from './core/protocol/audit.ts'
export type { CreateBackground, TaskResult } from './core/protocol/background.ts'
export type {
  CommandList,
  FileList,
  FileQuery,
  RuleList,
  SkillList,
  ToolList,
} from './core/protocol/catalogue.ts'
export type { ChatAnswer, ChatBody, RunRecord } from './core/protocol/chat.ts'
export type { Chunk, RunEvent } from './core/protocol/chunk.ts'
export type { OutputSchema, TypedAnswer } from './core/protocol/output.ts'
export type { ModelParameters, ParameterName, ParameterSettings } from './core/protocol/parameters.ts'
export type { CreateCron, Cron, CronFire, CronPreview } from './extensions/schedule/protocol/cron.ts'
export type {
  CreateDocument,
  Document,
  DocumentDiff,
  DocumentPage,
} from './extensions/documents/protocol/document.ts'
export type { CreateEventHook, EventHook } from './extensions/schedule/protocol/event-hook.ts'
export type { EventFrame, EventGap } from './core/protocol/event-socket.ts'
export type { ScopeEvent } from './core/protocol/event.ts'
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
} from './extensions/knowledge/protocol/knowledge.ts'
export type { Lock, LockList } from './extensions/documents/protocol/lock.ts'
export type { McpServerList, McpServerStatus } from './extensions/mcp/protocol/mcp.ts'
export type {
  CreateMemory,
  ListedMemory,
  Memory,
  MemoryLayer,
  MemoryListQuery,
  MemoryPage,
  MemoryType,
  UpdateMemory,
} from './extensions/memory/protocol/memory.ts'
export type { AppendMessage, Message, MessagePage, NewMessage, Part } from './core/protocol/message.ts'
export type {
  Model,
  ModelFacts,
  ModelList,
  ModelPrice,
  Provider,
  ProviderList,
  ProviderName,
  ProviderTest,
  PutProvider,
  TestProvider,
} from './core/protocol/models.ts'
export type { GroupSwitches, PermissionMode, PermissionRule } from './core/protocol/permission.ts'
export type { CreateNode, PlanNode, TreeNode } from './extensions/plan/protocol/plan-node.ts'
export type { PlanRun, PlanRunPage, PlanRunSummary, PlanStep } from './extensions/plan/protocol/plan-run.ts'
export type { CreatePlan, Plan, PlanPage, PlanTree, PlanVersion } from './extensions/plan/protocol/plan.ts'
export type { PromptPreview, RunPrompt, SentPrompt } from './core/protocol/prompt.ts'
export type { QueuePage, SteeredInput } from './core/protocol/queue.ts'
export type { RecordSettings } from './core/protocol/record.ts'
export type {
  Advance,
  RoomMode,
  RoomRecord,
  Round,
  RoundPage,
  SetMode,
} from './extensions/room/protocol/room.ts'
export type { SearchPage, SearchQuery } from './core/protocol/search.ts'
export type {
  CreateSession,
  ExportFormat,
  Session,
  SessionDocument,
  SessionKind,
  SessionListItem,
  SessionListQuery,
  SessionPage,
  UpdateSession,
  VariantList,
} from './core/protocol/session.ts'
export type { SettingsView, UpdateSettings } from './core/protocol/settings.ts'
export type { CreateThread, Thread, ThreadPage, UpdateThread } from './core/protocol/thread.ts'
export type { CreateTodoList, TodoItem, TodoList, TodoPage } from './extensions/documents/protocol/todo.ts'
export type { SessionUsage, UsagePage, UsageQuery } from './core/protocol/usage.ts'
export type { CreateWebhook, Webhook, WebhookDelivery } from './extensions/webhook/protocol/webhook.ts'
export type { Memo, MemoView, Resize, WindowSettings, WindowView } from './core/protocol/window.ts'
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
} from './extensions/workflow/protocol/workflow.ts'
export type { Agents } from './extensions/agents/agent-operations.ts'
export type { Rooms } from './extensions/room/operations.ts'
export type { Threads } from './core/chat/thread-operations.ts'
export type { Crons, EventHooks } from './extensions/schedule/operations.ts'
export type { Webhooks } from './extensions/webhook/operations.ts'
export type { Workflows } from './extensions/workflow/operations.ts'

// no names, but what extensions add to records of the core; an import would not be in the written types
/* oxlint-disable unicorn/require-module-specifiers */
export type {} from './extensions/agents/store/slice.ts'
export type {} from './extensions/documents/facets.ts'
export type {} from './extensions/documents/store/slice.ts'
export type {} from './extensions/knowledge/store/slice.ts'
export type {} from './extensions/mcp/facets.ts'
export type {} from './extensions/memory/facets.ts'
export type {} from './extensions/memory/store/slice.ts'
export type {} from './extensions/plan/facets.ts'
export type {} from './extensions/plan/store/slice.ts'
export type {} from './extensions/room/facets.ts'
export type {} from './extensions/room/store/slice.ts'
export type {} from './extensions/schedule/facets.ts'
export type {} from './extensions/schedule/store/slice.ts'
export type {} from './extensions/webhook/store/slice.ts'
export type {} from './extensions/workflow/facets.ts'
export type {} from './extensions/workflow/store/slice.ts'
