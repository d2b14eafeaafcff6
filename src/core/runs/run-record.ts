import type { RunRecord } from '../protocol/chat.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { Run } from '../store/queries/run-row.ts'

/** A run as it crosses the wire. */
export function toRunRecord(run: Run): RunRecord {
  const { id, scope, sessionId, kind, status, parentId, depth, attempt, input, outcome, usage } = run
  return {
    id,
    scope,
    sessionId,
    kind,
    status,
    parentId,
    depth,
    attempt,
    input,
    outcome,
    usage,
    createdAt: toTimestamp(run.createdAt),
    startedAt: run.startedAt === undefined ? undefined : toTimestamp(run.startedAt),
    finishedAt: run.finishedAt === undefined ? undefined : toTimestamp(run.finishedAt),
  }
}
