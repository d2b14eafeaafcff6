import type {
  CreateDocument,
  DiffQuery,
  Document,
  DocumentDiff,
  DocumentListQuery,
  DocumentPage,
  DocumentSummary,
  DocumentVersionPage,
  RestoreDocument,
  UpdateDocument,
  VersionListQuery,
} from './protocol/document.ts'
import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { DocumentHead, DocumentRecord } from './store/documents.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { audit, type DocumentCaller, type DocumentLimits } from './document-caller.ts'
import { diffTexts } from './diff-texts.ts'
import { dropLock, requireWritable, takeLockOf } from './locks.ts'

/** `id` is for those who must be able to ask twice. */
export function createDocument(
  limits: DocumentLimits,
  store: StoreOperations,
  caller: DocumentCaller,
  { title, folder = '', content = '' }: Omit<CreateDocument, 'scope'>,
  id?: string,
): Promise<Document> {
  return store.transaction(async (tx) => {
    requireSize(limits, content)
    const { scope } = caller
    await tx.ensureScope(scope)
    const document = await tx.createDocument({ id, scope, title, folder, content }, caller)
    await recordSaved(tx, caller, 'create', document)
    return toDocument(document)
  })
}

export async function getDocument(
  store: StoreOperations,
  { scope }: DocumentCaller,
  id: string,
  version?: number,
): Promise<Document> {
  const document = toDocument(await store.requireDocument(scope, id))
  if (version === undefined || version === document.version) return document
  const { content } = await requireVersion(store, id, version)
  return { ...document, version, content, bytes: Buffer.byteLength(content) }
}

export async function listDocuments(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: DocumentCaller,
  { folder, limit, cursor }: DocumentListQuery,
): Promise<DocumentPage> {
  const page = await store.listDocuments(scope, { folder, limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toSummary) }
}

/** What an update may work out from what is there. */
export type DocumentPatch = Omit<UpdateDocument, 'scope' | 'content'> & {
  content?: string | ((before: string) => string)
}

/** A session takes the lock with it, and keeps it. */
export function updateDocument(
  limits: DocumentLimits,
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  { title, folder, content, ifVersion, fence }: DocumentPatch,
): Promise<Document> {
  return store.transaction(async (tx) => {
    const before = await requireChangeable(tx, limits, caller, id, fence)
    if (ifVersion !== undefined && ifVersion !== before.version)
      throw conflict(`The document ${quote(id)} is at version ${before.version}, not at ${ifVersion}.`, {
        version: before.version,
      })
    const written = typeof content === 'function' ? content(before.content) : content
    if (written !== undefined) requireSize(limits, written)
    const patch = { title, folder, content: written }
    // no event: nobody needs it, and a hook that saves the document would trigger itself
    if (isSame(before, patch)) return toDocument(before)
    const document = await tx.saveDocument(before, patch, caller)
    await recordSaved(tx, caller, 'update', document)
    return toDocument(document)
  })
}

/** Writes an older content once more, as the newest version. */
export function restoreVersion(
  limits: DocumentLimits,
  store: StoreOperations,
  caller: DocumentCaller,
  id: string,
  { version, fence }: Omit<RestoreDocument, 'scope'>,
): Promise<Document> {
  return store.transaction(async (tx) => {
    const before = await requireChangeable(tx, limits, caller, id, fence)
    const { content } = await requireVersion(tx, id, version)
    const document = await tx.saveDocument(before, { content }, caller)
    await recordSaved(tx, caller, 'restore', document, { from: version })
    return toDocument(document)
  })
}

export function deleteDocument(store: StoreOperations, caller: DocumentCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const { title, folder } = await requireLocked(tx, caller.scope, id)
    await requireWritable(tx, caller, { type: 'document', id })
    await removeDocument(tx, caller, { id, title, folder })
  })
}

/** Without checking locks: the caller has done so. */
export async function removeDocument(
  tx: StoreOperations,
  caller: DocumentCaller,
  { id, title, folder }: Pick<DocumentHead, 'id' | 'title' | 'folder'>,
): Promise<void> {
  await tx.deleteDocument(caller.scope, id)
  await tx.forgetDocument(caller.scope, id)
  await tx.forgetKnowledgeSource(caller.scope, id, 'document')
  await dropLock(tx, caller, { type: 'document', id })
  await audit(tx, caller, 'delete', { type: 'document', id }, { title })
  await tx.recordEvent(caller.scope, {
    type: 'document-deleted',
    sessionId: caller.sessionId,
    data: { documentId: id, title, folder },
  })
}

export async function listVersions(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: DocumentCaller,
  id: string,
  { limit, cursor }: VersionListQuery,
): Promise<DocumentVersionPage> {
  await store.requireDocument(scope, id)
  const asked = requireLimit(limits, limit)
  const found = await store.listDocumentVersions(id, { before: toVersion(cursor), limit: asked + 1 })
  const items = found.slice(0, asked)
  return { items, nextCursor: found.length > asked ? String(items.at(-1)!.version) : null }
}

/** Of the first version, what it began with. */
export async function diffVersions(
  store: StoreOperations,
  { scope }: DocumentCaller,
  id: string,
  query: Omit<DiffQuery, 'scope'>,
): Promise<DocumentDiff> {
  const document = await store.requireDocument(scope, id)
  const { to = document.version } = query
  const { from = to - 1 } = query
  const after = await requireVersion(store, id, to)
  const before = from === 0 ? { content: '' } : await requireVersion(store, id, from)
  return { from, to, ...diffTexts(before.content, after.content) }
}

/** The event last: others wait for the row of the scope. It names the session of a model that did it. */
export async function recordSaved(
  tx: StoreOperations,
  caller: DocumentCaller,
  action: 'create' | 'update' | 'restore' | 'rollback',
  { id, title, folder, version }: DocumentRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await audit(tx, caller, action, { type: 'document', id }, { title, version, ...detail })
  await tx.recordEvent(caller.scope, {
    type: 'document-saved',
    sessionId: caller.sessionId,
    data: { documentId: id, title, folder, version, action },
  })
}

/** The document, which nobody else changes until the transaction ends, and which the caller may write. */
async function requireChangeable(
  tx: StoreOperations,
  limits: DocumentLimits,
  caller: DocumentCaller,
  id: string,
  fence: number | undefined,
): Promise<DocumentRecord> {
  const document = await requireLocked(tx, caller.scope, id)
  const locked = { type: 'document', id } as const
  await requireWritable(tx, caller, locked, fence)
  const { sessionId } = caller
  if (sessionId !== undefined) await takeLockOf(limits, tx, { ...caller, sessionId }, locked)
  return document
}

async function requireLocked(tx: StoreOperations, scope: string, id: string): Promise<DocumentRecord> {
  const document = await tx.lockDocument(scope, id)
  if (!document || document.deletedAt !== undefined) throw notFound('document', id)
  return document
}

async function requireVersion(store: StoreOperations, id: string, version: number) {
  const found = await store.getDocumentVersion(id, version)
  if (!found) throw notFound('version', `${id}/${version}`)
  return found
}

const isSame = (
  before: DocumentRecord,
  { title = before.title, folder = before.folder, content = before.content }: Partial<DocumentRecord>,
) => title === before.title && folder === before.folder && content === before.content

function requireSize({ maxBytes }: DocumentLimits, content: string): void {
  const bytes = Buffer.byteLength(content)
  if (bytes > maxBytes)
    throw invalidRequest(`The content has ${bytes} bytes; the most is ${maxBytes} (documents.maxBytes).`)
}

function toVersion(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return Number(cursor)
}

const toSummary = ({ createdAt, updatedAt, ...rest }: DocumentHead): DocumentSummary => ({
  id: rest.id,
  scope: rest.scope,
  title: rest.title,
  folder: rest.folder,
  version: rest.version,
  bytes: rest.bytes,
  createdAt: toTimestamp(createdAt),
  updatedAt: toTimestamp(updatedAt),
})

export const toDocument = (record: DocumentRecord): Document => ({
  ...toSummary(record),
  content: record.content,
})
