import type { StoppedWork } from '../protocol/background.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { RunRecord } from '../protocol/chat.ts'
import { toTimestamp } from '../protocol/names.ts'

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

/** What was stopped, as the answer to the request. */
export const toStoppedWork = ({ stopped, tasks }: { stopped?: Run; tasks: Run[] }): StoppedWork => ({
  stopped: stopped ? toRunRecord(stopped) : null,
  tasks: tasks.map(({ id, sessionId, kind, status, input }) => {
    const { label } = (input as { task?: { label?: string } }).task ?? {}
    return { taskId: sessionId, runId: id, kind, status, ...(label !== undefined && { label }) }
  }),
})

/** Made from the run's id, so that every owner of a run writes the same message. */
export const replyId = ({ id }: { id: string }): string => id.replace(/^run_/, 'msg_')
