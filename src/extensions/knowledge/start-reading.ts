import { ParleyError } from '../../core/protocol/error.ts'
import type { PartRecord } from './store/knowledge-parts.ts'
import type { SourceRecord } from './store/knowledge-sources.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'
import type { Findings } from './findings.ts'
import { toPartRequest } from './part-request.ts'
import { splitText } from './split-text.ts'
import { recordChange } from './sources.ts'
import { toTripleSet } from './triples.ts'

/** The `source` of sessions that read documents. */
export const readingSource = 'knowledge'

// parts of a scope that are read at once: the other places are for what people wait for
export const maxReading = 4
const maxSteps = 6

/**
 * Starts sessions that read queued documents. A document is taken apart when its turn comes; each part is a session, and its row says
 * how that goes. The caller holds the lock on the knowledge of the scope.
 */
export async function startReading(tx: StoreOperations, deps: KnowledgeDeps, scope: string): Promise<void> {
  let running = await tx.countRunningParts(scope)
  while (running < maxReading) {
    const part = await nextPart(tx, scope)
    if (!part) return
    const begun = await beginPart(tx, deps, part)
    if (begun === 'full') return
    if (begun === 'running') running++
  }
}

async function nextPart(tx: StoreOperations, scope: string): Promise<PartRecord | undefined> {
  for (;;) {
    const waiting = await tx.nextKnowledgePart(scope)
    if (waiting) return waiting
    const next = await tx.nextUnsplitSource(scope)
    if (!next) return undefined
    const source = (await tx.getKnowledgeSourceById(next.sourceId))!
    const parts = await readParts(tx, source)
    await tx.addKnowledgeParts(source, parts.length)
    if (parts.length === 0) await finishReading(tx, source)
  }
}

/** The parts of the version that is read. */
export async function readParts(tx: StoreOperations, { name, readVersion }: SourceRecord): Promise<string[]> {
  const read = await tx.getDocumentVersion(name, readVersion)
  return splitText(read?.content ?? '')
}

async function beginPart(
  tx: StoreOperations,
  deps: KnowledgeDeps,
  part: PartRecord,
): Promise<'running' | 'failed' | 'full'> {
  const source = (await tx.getKnowledgeSourceById(part.sourceId))!
  try {
    const { session, run } = await triggerPart(tx, deps, source, part)
    await tx.updateKnowledgePart(part, { status: 'running', sessionId: session.id, runId: run.id })
    await tx.updateKnowledgeSource(source.id, { status: 'running' })
    return 'running'
  } catch (error) {
    if (!(error instanceof ParleyError) || isOfStore(error)) throw error
    if (error.code === 'too_many_requests') return 'full'
    await tx.updateKnowledgePart(part, { status: 'failed', error: error.message })
    await finishReading(tx, source)
    return 'failed'
  }
}

const isOfStore = ({ code }: ParleyError) =>
  code === 'store_unavailable' || code === 'storage_full' || code === 'shutting_down'

async function triggerPart(
  tx: StoreOperations,
  { background }: KnowledgeDeps,
  source: SourceRecord,
  { number }: PartRecord,
) {
  const { title = '' } = (await tx.getDocumentVersion(source.name, source.readVersion)) ?? {}
  const parts = await readParts(tx, source)
  const place = parts.length > 1 ? ` (${number}/${parts.length})` : ''
  return background.triggerIn(
    tx,
    source.scope,
    toPartRequest({ title, text: parts[number - 1] ?? '', place, model: source.model }),
    {
      triggerType: 'api',
      source: readingSource,
      sourceId: source.id,
      autoCleanup: true,
      memoryPolicy: { skipDocumentExtract: true },
    },
    {
      title: `Knowledge: ${title}${place}`.slice(0, 500),
      // the row of the part is where the result goes
      isAwaited: true,
      queues: true,
      // instructions in a document have no effect: there are no tools to follow them with
      allowedTools: ['set_result'],
      turn: { referencesIn: '', skipMemory: true, includeScopeContext: false, maxSteps },
    },
  )
}

/** When all parts have ended: their triples replace those of the document, or it failed and stays as it was. */
export async function finishReading(tx: StoreOperations, source: SourceRecord): Promise<void> {
  const parts = await tx.listKnowledgeParts(source.id)
  if (parts.some(({ status }) => status === 'pending' || status === 'running')) return
  const failed = parts.filter(({ status }) => status === 'failed')
  if (failed.length > 0) {
    const which = parts.length > 1 ? `${failed.length} of ${parts.length} parts failed. ` : ''
    const reason = `${which}${failed[0]!.error ?? ''}`
    await tx.updateKnowledgeSource(source.id, { status: 'failed', reason })
    return recordChange(tx, source, { action: 'extract', status: 'failed', reason })
  }
  const findings = parts.map(({ triples }) => triples as Findings)
  const said = toTripleSet(
    source,
    findings.flatMap(({ triples }) => triples),
    findings.flatMap(({ entities }) => entities),
  )
  const { added, removed } = await tx.putTriples(source, said, { replace: true })
  await tx.updateKnowledgeSource(source.id, { status: 'done', version: source.readVersion, reason: null })
  await tx.deleteKnowledgeParts(source.id)
  await recordChange(tx, source, { action: 'extract', status: 'done', added, removed })
}
