import type { StoppedWork } from '../protocol/background.ts'
import type { Run } from '../store/queries/run-row.ts'
import { toRunRecord } from './run-record.ts'

/** What was stopped, as whoever asked for it is told. */
export const toStoppedWork = ({ stopped, tasks }: { stopped?: Run; tasks: Run[] }): StoppedWork => ({
  stopped: stopped ? toRunRecord(stopped) : null,
  tasks: tasks.map(({ id, sessionId, kind, status, input }) => {
    const { label } = (input as { task?: { label?: string } }).task ?? {}
    return { taskId: sessionId, runId: id, kind, status, ...(label !== undefined && { label }) }
  }),
})
