export interface ScheduleTables {
  crons: CronRow
  cron_fires: CronFireRow
  event_hooks: EventHookRow
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
