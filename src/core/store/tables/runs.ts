import type { Generated } from 'kysely'

export interface RunTables {
  runs: RunRow & CourseColumns
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
  approvals: ApprovalRow
  awaited_calls: AwaitedCallRow
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

/** Read by those who ask for the steps or events of a run; they may be long. */
export interface CourseColumns {
  course: Generated<string | null>
  words: Generated<string | null>
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

export interface AwaitedCallRow {
  id: string
  scope: string
  session_id: string
  run_id: string
  call_key: string
  call: string
  status: 'waiting' | 'answered' | 'expired' | 'cancelled'
  answer: string | null
  answered_by: string | null
  expires_at: number
  created_at: number
  settled_at: number | null
}
