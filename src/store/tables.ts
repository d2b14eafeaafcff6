/** The rows as the database holds them; `migrations/` says what the columns mean. */
export interface Tables {
  scopes: { name: string; root: string | null; event_seq: number; created_at: number }
  sessions: SessionRow
  messages: MessageRow
  runs: RunRow
  run_events: { run_id: string; seq: number; first_seq: number; events: string; created_at: number }
  run_steps: {
    run_id: string
    step: number
    parts: string
    prompt: string
    last_event_seq: number
    rewrites: number
    created_at: number
  }
  prompt_epochs: {
    session_id: string
    epoch: number
    system: string
    fragments: string
    sources: string
    sent: string
    window_start: number
    created_at: number
  }
  memo_versions: MemoVersionRow
  approvals: ApprovalRow
  budgets: {
    run_id: string
    parent_id: string | null
    max_tokens: number | null
    max_cost: number | null
    max_tasks: number | null
    max_depth: number | null
    deadline_at: number | null
    used_tokens: number
    used_cost: number
    used_tasks: number
    reserved_tokens: number
    reserved_cost: number
  }
  budget_holds: { run_id: string; budget_id: string; tokens: number; cost: number }
  events: {
    scope: string
    seq: number
    type: string
    session_id: string | null
    data: string
    created_at: number
  }
  crons: CronRow
  cron_fires: CronFireRow
  event_hooks: EventHookRow
  workflows: WorkflowRow
  workflow_versions: WorkflowVersionRow
  workflow_runs: WorkflowRunRow
  workflow_steps: WorkflowStepRow
  agents: AgentRow
  threads: ThreadRow
  rooms: {
    session_id: string
    mode: string
    state: string
    options: string
    through_seq: number
    through_id: string | null
    updated_at: number
  }
  room_seats: {
    room_id: string
    agent: string
    session_id: string
    through_seq: number
    through_id: string | null
  }
  room_rounds: RoomRoundRow
  plans: PlanRow
  plan_nodes: PlanNodeRow
  plan_dependencies: { plan_id: string; node_id: number; on_id: number }
  plan_changes: PlanChangeRow
  plan_runs: PlanRunRow
  plan_steps: PlanStepRow
  knowledge_graphs: { scope: string; changed_at: number }
  knowledge_sources: KnowledgeSourceRow
  knowledge_parts: KnowledgePartRow
  knowledge_entities: KnowledgeEntityRow
  knowledge_mentions: {
    source_id: string
    entity_id: string
    name: string
    type: string
    description: string
  }
  knowledge_relations: KnowledgeRelationRow
  knowledge_entity_words: { entity_id: string; word: string; scope: string; size: number }
  knowledge_relation_words: { relation_id: string; word: string; scope: string; size: number }
  knowledge_vectors: { entity_id: string; model: string; hash: string; vector: string }
  resizes: ResizeRow
  inbox: {
    id: string
    session_id: string
    kind: string
    dedupe_key: string
    payload: string
    created_at: number
    taken_at: number | null
  }
  checkpoints: {
    session_id: string
    id: string
    message_seq: number
    user_message: string
    completed: number
    file_changes: string
    created_at: number
  }
  settings: { scope: string; key: string; value: string; updated_at: number }
  audit: {
    id: string
    scope: string
    actor_type: string
    actor_id: string
    action: string
    resource_type: string
    resource_id: string
    session_id: string | null
    result: 'success' | 'error' | 'denied'
    detail: string
    created_at: number
  }
  usage_days: {
    scope: string
    day: string
    model: string
    kind: string
    calls: number
    input_tokens: number
    output_tokens: number
    cache_read_tokens: number
    cost: number | null
  }
  session_usage: {
    session_id: string
    runs: number
    calls: number
    input_tokens: number
    output_tokens: number
    cache_read_tokens: number
    cost: number | null
    last_input_tokens: number | null
  }
  idempotency_keys: { scope: string; key: string; fingerprint: string; answer: string; created_at: number }
  search_documents: { id: number; session_id: string; seq: number }
  documents: DocumentRow
  document_versions: DocumentVersionRow
  todo_lists: TodoListRow
  todo_items: TodoItemRow
  memories: MemoryRow
  memory_words: { memory_id: string; word: string }
  memory_vectors: { memory_id: string; model: string; hash: string; vector: string }
  memory_uses: { run_id: string; memory_id: string; session_id: string; message_id: string; position: number }
  memory_cursors: { session_id: string; narrative_seq: number }
}

export interface SessionRow {
  id: string
  scope: string
  kind: 'interactive' | 'background' | 'tool'
  title: string
  chat_status: 'idle' | 'chatting'
  bg_status: BgStatusColumn | null
  mode: string | null
  parent_id: string | null
  family: string | null
  thread: string | null
  facets: string
  last_seq: number
  indexed_seq: number
  window_start: number
  resized_seq: number
  window_stopped: string | null
  memo_version: number
  archived_at: number | null
  created_at: number
  updated_at: number
}

type BgStatusColumn = 'pending' | 'running' | 'completed' | 'failed' | 'timeout' | 'cancelled' | 'interrupted'

export interface MessageRow {
  session_id: string
  seq: number
  id: string
  role: 'user' | 'assistant' | 'system'
  parts: string
  metadata: string | null
  context: string | null
  created_at: number
}

export interface ApprovalRow {
  id: string
  scope: string
  session_id: string
  parent_id: string | null
  run_id: string
  tool_call_id: string
  request: string
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled'
  fallback: 'allow' | 'deny'
  answer: string | null
  decided_by: string | null
  expires_at: number
  created_at: number
  decided_at: number | null
}

export interface MemoVersionRow {
  session_id: string
  version: number
  memo: string
  pinned: string
  through_seq: number
  author: 'model' | 'handler' | 'user' | 'undo' | 'import'
  model: string | null
  from_seq: number | null
  to_seq: number | null
  size_before: number
  size_after: number
  created_at: number
}

export interface ResizeRow {
  session_id: string
  number: number
  type: string
  reason: string
  severity: number
  outcome: 'resized' | 'unchanged' | 'failed'
  message: string | null
  before_messages: number
  before_chars: number
  after_messages: number
  after_chars: number
  start_seq: number
  memo_version: number | null
  usage: string | null
  created_at: number
}

export interface RunRow {
  id: string
  scope: string
  session_id: string
  kind: string
  status: 'queued' | 'running' | 'completed' | 'failed' | 'timeout' | 'cancelled' | 'interrupted'
  parent_id: string | null
  depth: number
  priority: number
  attempt: number
  lease_owner: string | null
  lease_until: number | null
  fence: number
  stop_reason: string | null
  deadline_at: number | null
  timeout_ms: number | null
  is_waiting: number
  is_woken: number
  is_undone: number
  task_of: string | null
  input: string
  budget: string | null
  outcome: string | null
  usage: string | null
  last_event_seq: number
  created_at: number
  started_at: number | null
  finished_at: number | null
}

export interface CronRow {
  id: string
  scope: string
  name: string
  schedule: string
  time_zone: string
  prompt: string
  task: string
  missed: 'skip' | 'once' | 'all'
  max_missed: number
  overlap: 'skip' | 'queue' | 'cancel-previous'
  max_failures: number
  status: 'active' | 'paused' | 'completed'
  reason: string | null
  failures: number
  next_fire_at: number | null
  last_fire_at: number | null
  created_in: string | null
  workflow_id: string | null
  created_at: number
  updated_at: number
}

export interface CronFireRow {
  cron_id: string
  fire_at: number
  cause: 'schedule' | 'missed' | 'manual'
  outcome: 'started' | 'skipped' | 'queued' | 'completed' | 'failed' | 'timeout' | 'cancelled' | 'interrupted'
  reason: string | null
  times: number
  session_id: string | null
  created_at: number
  ended_at: number | null
}

export interface EventHookRow {
  id: string
  scope: string
  name: string
  event: string
  filter: string
  prompt: string
  task: string
  max_per_hour: number
  workflow_id: string | null
  status: 'active' | 'paused'
  reason: string | null
  seen_seq: number
  window_at: number
  window_starts: number
  starts: number
  skipped: number
  last_started_at: number | null
  created_at: number
  updated_at: number
}

export interface DocumentRow {
  id: string
  scope: string
  title: string
  folder: string
  version: number
  bytes: number
  created_at: number
  updated_at: number
  deleted_at: number | null
  words: string
  content: string
  learned_version: number
  learn_failures: number
}

export interface DocumentVersionRow {
  document_id: string
  version: number
  title: string
  bytes: number
  author_type: 'user' | 'agent' | 'system'
  author_id: string
  session_id: string | null
  created_at: number
  content: string
}

export interface TodoListRow {
  id: string
  scope: string
  title: string
  folder: string
  words: string
  created_at: number
  updated_at: number
}

export interface TodoItemRow {
  list_id: string
  id: string
  position: number
  title: string
  description: string
  status: 'todo' | 'doing' | 'done'
  created_at: number
  updated_at: number
}

export interface MemoryRow {
  id: string
  scope: string
  layer: 'user' | 'scope' | 'session'
  type: 'profile' | 'narrative' | 'foresight' | 'document' | 'event_log'
  session_id: string | null
  text: string
  hash: string
  evidence: string | null
  author: 'model' | 'user'
  origin: 'user' | 'assistant'
  is_edited: number
  status: 'active' | 'deleted'
  history: string
  source_session_id: string | null
  source_message_id: string | null
  source_run_id: string | null
  source_document_id: string | null
  source_from_seq: number | null
  source_seq: number | null
  ref_count: number
  last_used_at: number | null
  created_at: number
  updated_at: number
}

export interface WorkflowRow {
  id: string
  scope: string
  name: string
  version: number
  facts: string
  text: string
  file: string | null
  file_hash: string | null
  file_problem: string | null
  management_session_id: string | null
  created_at: number
  updated_at: number
}

export interface WorkflowVersionRow {
  workflow_id: string
  version: number
  cause: 'create' | 'update' | 'rollback' | 'file'
  author: string
  session_id: string | null
  text: string
  created_at: number
}

export interface WorkflowRunRow {
  run_id: string
  scope: string
  session_id: string
  workflow_id: string | null
  version: number | null
  name: string
  source: 'api' | 'tool' | 'cron' | 'event' | 'workflow' | 'rerun'
  source_id: string | null
  parent_run_id: string | null
  parent_path: string | null
  rerun_of: string | null
  deliver_to: string | null
  created_at: number
}

export interface WorkflowStepRow {
  run_id: string
  path: string
  step_id: string
  type: 'agent' | 'approve' | 'transform' | 'workflow' | 'parallel' | 'foreach' | 'branch' | 'loop'
  status: 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'timeout' | 'skipped' | 'cancelled'
  attempt: number
  output: string | null
  data: string | null
  details: string | null
  error: string | null
  approved: number | null
  token: string | null
  session_id: string | null
  task_run_id: string | null
  linked: number
  wake_at: number | null
  started_at: number | null
  finished_at: number | null
}

export interface PlanRow {
  id: string
  scope: string
  title: string
  description: string
  metadata: string
  version: number
  last_node: number
  created_at: number
  updated_at: number
}

export interface PlanNodeRow {
  plan_id: string
  id: number
  parent_id: number
  sort: number
  name: string
  instruction: string
  status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | 'blocked'
  reason: string | null
  metadata: string
  context: string | null
  acceptance: string | null
  result: string | null
  cost: number | null
  session_id: string | null
  run_id: string | null
  created_at: number
  updated_at: number
}

export interface PlanRunRow {
  run_id: string
  scope: string
  type: 'actions' | 'execute' | 'decompose'
  plan_id: string | null
  session_id: string
  chat_session_id: string | null
  message_id: string | null
  parent_run_id: string | null
  parent_step: number | null
  round: number
  created_at: number
}

export interface PlanChangeRow {
  plan_id: string
  version: number
  action: string
  author: string
  session_id: string | null
  undoes: number | null
  changes: string
  created_at: number
}

export interface PlanRunRow {
  run_id: string
  scope: string
  type: 'actions' | 'execute' | 'decompose'
  plan_id: string | null
  session_id: string
  chat_session_id: string | null
  message_id: string | null
  parent_run_id: string | null
  parent_step: number | null
  round: number
  created_at: number
}

export interface PlanStepRow {
  run_id: string
  number: number
  type: 'action' | 'node' | 'expand'
  node_id: number | null
  status: 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'skipped' | 'cancelled'
  attempts: number
  details: string
  message: string | null
  result: string | null
  error: string | null
  wake_at: number | null
  session_id: string | null
  task_run_id: string | null
  started_at: number | null
  finished_at: number | null
}

export interface KnowledgeSourceRow {
  id: string
  scope: string
  name: string
  kind: 'document' | 'import'
  status: 'pending' | 'running' | 'done' | 'failed'
  reason: string | null
  version: number
  read_version: number
  model: string | null
  relation_count: number
  created_at: number
  updated_at: number
}

export interface KnowledgePartRow {
  source_id: string
  number: number
  scope: string
  status: 'pending' | 'running' | 'done' | 'failed'
  session_id: string | null
  run_id: string | null
  triples: string | null
  error: string | null
  queued_at: number
}

export interface KnowledgeEntityRow {
  id: string
  scope: string
  key: string
  name: string
  type: string
  description: string
}

export interface KnowledgeRelationRow {
  id: string
  scope: string
  source_id: string
  subject_id: string
  predicate: string
  object_id: string
  evidence: string
  weight: number
  created_at: number
}

export interface AgentRow {
  scope: string
  name: string
  definition: string
  created_at: number
  updated_at: number
}

export interface ThreadRow {
  scope: string
  slug: string
  title: string
  archived_at: number | null
  archived_by: string | null
  archive_reason: string | null
  created_at: number
  updated_at: number
}

export interface RoomRoundRow {
  run_id: string
  number: number
  room_id: string
  routing: string
  event_seq: number
  turns: string
  commands: string | null
  message_ids: string
  created_at: number
  finished_at: number | null
}
