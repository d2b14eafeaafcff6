import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import { maxExtracted, type ExtractKnowledge, type KnowledgeExtraction } from './protocol/knowledge.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { SourceRecord } from './store/knowledge-sources.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'
import { startReading } from './start-reading.ts'
import { viewSources } from './sources.ts'

/**
 * Has documents read as they are now: those that are named, or all that are not what was read last. One that is being
 * read in its current version continues; an older version is not read any more.
 */
export function extractDocuments(
  deps: KnowledgeDeps,
  store: StoreOperations,
  { scope, actor }: Pick<Caller, 'scope' | 'actor'>,
  { documentIds, model }: Omit<ExtractKnowledge, 'scope'>,
): Promise<KnowledgeExtraction> {
  if (model !== undefined) deps.requireModel(model)
  return store.transaction(async (tx) => {
    await tx.ensureScope(scope)
    await tx.lockKnowledge(scope)
    const found = await findDocuments(tx, scope, documentIds)
    const documents = found.slice(0, maxExtracted)
    for (const document of documents) await markUnread(tx, scope, document, model)
    await startReading(tx, deps, scope)
    if (documents.length > 0)
      await tx.recordAudit(scope, {
        actor,
        action: 'extract',
        resourceType: 'knowledge',
        resourceId: documents.length === 1 ? documents[0]!.id : `${documents.length} documents`,
        detail: { model, documents: documents.length },
      })
    const items = await viewSources(
      tx,
      scope,
      documents.map(({ id }) => id),
    )
    return { items, more: found.length > documents.length }
  })
}

async function findDocuments(
  tx: StoreOperations,
  scope: string,
  ids: readonly string[] | undefined,
): Promise<{ id: string; version: number }[]> {
  if (!ids) return tx.listUnreadDocuments(scope, maxExtracted + 1)
  const wanted = [...new Set(ids)]
  const found = await tx.listDocumentsById(scope, wanted)
  const missing = wanted.find((id) => !found.some((document) => document.id === id))
  if (missing !== undefined) throw notFound('document', missing)
  return found
}

async function markUnread(
  tx: StoreOperations,
  scope: string,
  { id, version }: { id: string; version: number },
  model: string | undefined,
): Promise<void> {
  const source = await tx.ensureKnowledgeSource({ scope, name: id, kind: 'document' })
  if (source.kind !== 'document')
    throw conflict(`There is an import named ${quote(id)}; forget it to read the document of this id.`)
  const isSame = source.readVersion === version && source.model === model
  if (isSame && isActive(source)) return
  // of one that failed, what was found is kept
  if (isSame && source.status === 'failed') await tx.retryKnowledgeParts(source.id)
  else await tx.deleteKnowledgeParts(source.id)
  await tx.updateKnowledgeSource(source.id, {
    status: 'pending',
    readVersion: version,
    reason: null,
    model: model ?? null,
  })
}

const isActive = ({ status, readVersion }: SourceRecord) =>
  readVersion > 0 && (status === 'pending' || status === 'running')
