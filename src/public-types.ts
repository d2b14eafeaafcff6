// What of the wire both the library and the client export.
export type { Approvals } from './approvals/operations.ts'
export type { Catalogue, Models, Providers, Settings } from './catalogue/operations.ts'
export type { Runs } from './chat/run-operations.ts'
export type { Sessions } from './chat/session-operations.ts'
export type { Locks } from './documents/lock-operations.ts'
export type { Documents } from './documents/operations.ts'
export type { Todos } from './documents/todo-operations.ts'
export type { Knowledge } from './knowledge/operations.ts'
export type { Mcp } from './mcp/operations.ts'
export type { Memories } from './memory/operations.ts'
export type { Plans } from './plan/operations.ts'
export type { AgentPage, CreateAgent, UpdateAgent } from './protocol/agent.ts'
export type { Approval, ApprovalPage, DecideApproval } from './protocol/approval.ts'
export type { AuditPage, AuditQuery, AuditRecord } from './protocol/audit.ts'
export type { CreateBackground, TaskResult } from './protocol/background.ts'
export type { CommandList, FileList, FileQuery, RuleList, SkillList, ToolList } from './protocol/catalogue.ts'
export type { ChatAnswer, ChatBody, RunRecord } from './protocol/chat.ts'
export type { Chunk, RunEvent } from './protocol/chunk.ts'
export type { CreateCron, Cron, CronFire, CronPreview } from './protocol/cron.ts'
export type { CreateDocument, Document, DocumentDiff, DocumentPage } from './protocol/document.ts'
export type { CreateEventHook, EventHook } from './protocol/event-hook.ts'
export type { EventFrame, EventGap } from './protocol/event-socket.ts'
export type { ScopeEvent } from './protocol/event.ts'
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
} from './protocol/knowledge.ts'
export type { Lock, LockList } from './protocol/lock.ts'
export type { McpServerList, McpServerStatus } from './protocol/mcp.ts'
export type {
  CreateMemory,
  ListedMemory,
  Memory,
  MemoryLayer,
  MemoryListQuery,
  MemoryPage,
  MemoryType,
  UpdateMemory,
} from './protocol/memory.ts'
export type { AppendMessage, Message, MessagePage, NewMessage, Part } from './protocol/message.ts'
export type { Model, ModelList, Provider, ProviderName, PutProvider } from './protocol/models.ts'
export type { GroupSwitches, PermissionMode, PermissionRule } from './protocol/permission.ts'
export type { CreateNode, PlanNode, TreeNode } from './protocol/plan-node.ts'
export type { PlanRun, PlanRunPage, PlanRunSummary, PlanStep } from './protocol/plan-run.ts'
export type { CreatePlan, Plan, PlanPage, PlanTree, PlanVersion } from './protocol/plan.ts'
export type { PromptPreview, RunPrompt, SentPrompt } from './protocol/prompt.ts'
export type { QueuePage, SteeredInput } from './protocol/queue.ts'
export type { RecordSettings } from './protocol/record.ts'
export type { Advance, RoomMode, RoomRecord, Round, RoundPage, SetMode } from './protocol/room.ts'
export type { SearchPage, SearchQuery } from './protocol/search.ts'
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
} from './protocol/session.ts'
export type { SettingsView, UpdateSettings } from './protocol/settings.ts'
export type { CreateThread, Thread, ThreadPage, UpdateThread } from './protocol/thread.ts'
export type { CreateTodoList, TodoItem, TodoList, TodoPage } from './protocol/todo.ts'
export type { SessionUsage, UsagePage, UsageQuery } from './protocol/usage.ts'
export type { CreateWebhook, Webhook, WebhookDelivery } from './protocol/webhook.ts'
export type { Memo, MemoView, Resize, WindowSettings, WindowView } from './protocol/window.ts'
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
} from './protocol/workflow.ts'
export type { Agents } from './room/agent-operations.ts'
export type { Rooms } from './room/operations.ts'
export type { Threads } from './room/thread-operations.ts'
export type { Crons, EventHooks } from './schedule/operations.ts'
export type { Webhooks } from './webhook/operations.ts'
export type { Workflows } from './workflow/operations.ts'
