export interface PlanTables {
  plans: PlanRow
  plan_nodes: PlanNodeRow
  plan_dependencies: { plan_id: string; node_id: number; on_id: number }
  plan_changes: PlanChangeRow
  plan_runs: PlanRunRow
  plan_steps: PlanStepRow
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
  status: 'pending' | 'running' | 'completed' | 'partial' | 'refused' | 'failed' | 'skipped' | 'blocked'
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
  waits_for: number
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
  status:
    | 'pending'
    | 'running'
    | 'paused'
    | 'completed'
    | 'partial'
    | 'refused'
    | 'failed'
    | 'skipped'
    | 'cancelled'
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
