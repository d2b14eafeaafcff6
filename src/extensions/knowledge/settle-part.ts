import type { TaskResult } from '../../core/protocol/background.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { readFindings } from './findings.ts'
import { finishReading, readParts } from './start-reading.ts'

const maxReason = 1_000

/** When the session that reads a part ends: what it found, in the transaction of the end. */
export async function settlePart(tx: StoreOperations, scope: string, result: TaskResult): Promise<void> {
  if (!(await tx.findPartOfRun(result.runId))) return
  await tx.lockKnowledge(scope)
  // checked again under the lock: the document may be gone, or another version is being read
  const part = await tx.findPartOfRun(result.runId)
  if (part?.status !== 'running') return
  const source = (await tx.getKnowledgeSourceById(part.sourceId))!
  const parts = await readParts(tx, source)
  const findings = readFindings(result, parts[part.number - 1] ?? '')
  await tx.updateKnowledgePart(
    part,
    'error' in findings
      ? { status: 'failed', error: cut(findings.error, maxReason) }
      : { status: 'done', triples: findings },
  )
  await finishReading(tx, source)
}

/** Parts whose session was deleted, or ended unnoticed: they can be read again. */
export async function failLostParts(tx: StoreOperations, scope: string): Promise<void> {
  for (const part of await tx.listLostParts(scope)) {
    await tx.updateKnowledgePart(part, { status: 'failed', error: 'The session that read it is gone.' })
    await finishReading(tx, (await tx.getKnowledgeSourceById(part.sourceId))!)
  }
}
