export interface WorkflowTables {
  workflows: WorkflowRow
  workflow_versions: WorkflowVersionRow
  workflow_runs: WorkflowRunRow
  workflow_steps: WorkflowStepRow
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
  /** One that comes with Parley, or that an extension has. */
  type: string
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
  is_passed: number
}
