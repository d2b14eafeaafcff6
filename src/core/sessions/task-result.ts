import type { TaskResult } from '../protocol/background.ts'
import { conflict, quote } from '../protocol/error.ts'
import type { Session } from '../protocol/session.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** What became of a background session. One that is not over has no result yet, and others never have one. */
export async function getResult(store: StoreOperations, { scope }: Caller, id: string): Promise<TaskResult> {
  const session = await store.requireSession(scope, id)
  const { kind, bgStatus } = session
  if (kind !== 'background')
    throw conflict(
      `The session ${quote(id)} is of the kind ${quote(kind)}; only background ones have a result.`,
    )
  if (bgStatus === undefined || bgStatus === 'pending' || bgStatus === 'running')
    throw conflict(`The session ${quote(id)} is ${bgStatus ?? 'not started'}; it has no result yet.`, {
      bgStatus,
    })
  const { items } = await store.listRuns(scope, { sessionId: id, kind: 'background', limit: 1 })
  return resultOf(items[0]) ?? fromRecord(session, items[0])
}

const resultOf = (run: Run | undefined) => (run?.outcome as { result?: TaskResult } | undefined)?.result

/** Of a session that was imported, or whose run ended without a message: from its record. */
function fromRecord(session: Session, run: Run | undefined): TaskResult {
  const { bgStatus, bgResult = '', bgStructuredData, bgArtifacts, bgResultSource, bgDegraded } = session
  return {
    taskId: session.id,
    runId: run?.id ?? '',
    ...(session.bgMeta?.label !== undefined && { label: session.bgMeta.label }),
    status: bgStatus === 'completed' ? 'success' : (bgStatus as Exclude<TaskResult['status'], 'success'>),
    output: bgResult,
    ...(bgStructuredData !== undefined && { structuredData: parse(bgStructuredData) }),
    ...(bgArtifacts && { artifacts: bgArtifacts }),
    source: bgResultSource ?? 'none',
    degraded: bgDegraded ?? true,
    durationMs: run?.startedAt === undefined ? 0 : (run.finishedAt ?? run.startedAt) - run.startedAt,
  }
}

/** A document from elsewhere may hold any text there. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
