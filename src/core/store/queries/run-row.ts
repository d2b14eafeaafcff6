import type { RunRow } from '../tables/runs.ts'

export type RunStatus = RunRow['status']
export type FinalStatus = Exclude<RunStatus, 'queued' | 'running'>

export interface Run {
  id: string
  scope: string
  sessionId: string
  kind: string
  status: RunStatus
  parentId?: string
  depth: number
  priority: number
  /** How often it was claimed and not given back: more than once means that an earlier owner died. */
  attempt: number
  /** Why somebody asked it to stop. */
  stopReason?: string
  /** How long it may take from its first claim, and until when that is. */
  timeoutMs?: number
  deadlineAt?: number
  /** Of a run that was just claimed: what is left of that time. */
  remainingMs?: number
  /** Of a background run: the session whose task it is. */
  taskOf?: string
  input: unknown
  budget?: unknown
  outcome?: unknown
  usage?: unknown
  /** Of earlier owners; whoever has it now numbers its events from here on. */
  lastEventSeq: number
  createdAt: number
  startedAt?: number
  finishedAt?: number
}

/** All but the course of a run, which may be long. */
export const runColumns = [
  'id',
  'scope',
  'session_id',
  'kind',
  'status',
  'parent_id',
  'depth',
  'priority',
  'attempt',
  'lease_owner',
  'lease_until',
  'fence',
  'stop_reason',
  'deadline_at',
  'timeout_ms',
  'is_waiting',
  'is_woken',
  'is_undone',
  'task_of',
  'input',
  'budget',
  'outcome',
  'usage',
  'last_event_seq',
  'created_at',
  'started_at',
  'finished_at',
] as const satisfies readonly (keyof RunRow)[]

export function fromRow(row: RunRow): Run {
  return {
    id: row.id,
    scope: row.scope,
    sessionId: row.session_id,
    kind: row.kind,
    status: row.status,
    parentId: row.parent_id ?? undefined,
    depth: row.depth,
    priority: row.priority,
    attempt: row.attempt,
    stopReason: row.stop_reason ?? undefined,
    timeoutMs: row.timeout_ms ?? undefined,
    deadlineAt: row.deadline_at ?? undefined,
    taskOf: row.task_of ?? undefined,
    input: parseColumn(row.input),
    budget: parseColumn(row.budget),
    outcome: parseColumn(row.outcome),
    usage: parseColumn(row.usage),
    lastEventSeq: row.last_event_seq,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
  }
}

export const parseColumn = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text))
