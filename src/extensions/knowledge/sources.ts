import { notFound } from '../../core/protocol/error.ts'
import type {
  EntityListQuery,
  EntityPage,
  KnowledgeSource,
  KnowledgeSourceListQuery,
  KnowledgeSourcePage,
  KnowledgeStats,
} from './protocol/knowledge.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { ListedSource, SourceFilter, SourceRecord } from './store/knowledge-sources.ts'
import type { StoreOperations } from '../../core/store/store.ts'

type Who = Pick<Caller, 'scope' | 'actor'>

export async function readStats(
  store: StoreOperations,
  { scope }: Pick<Caller, 'scope'>,
): Promise<KnowledgeStats> {
  const counts = await store.countKnowledgeSources(scope)
  const count = (kind: ListedSource['kind'], status: ListedSource['status']) =>
    counts.find((group) => group.kind === kind && group.status === status)?.count ?? 0
  return {
    ...(await store.countKnowledge(scope)),
    imports: count('import', 'done'),
    documents: {
      pending: count('document', 'pending'),
      running: count('document', 'running'),
      done: count('document', 'done'),
      failed: count('document', 'failed'),
      changed: await store.countUnreadDocuments(scope),
    },
  }
}

export async function listSources(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { name, limit, ...filter }: Omit<KnowledgeSourceListQuery, 'scope'>,
): Promise<KnowledgeSourcePage> {
  const names = name === undefined ? undefined : [name]
  return readPage(store, scope, { ...filter, names, limit: requireLimit(limits, limit) })
}

/** Sources by name, as others see them. */
export async function viewSources(
  store: StoreOperations,
  scope: string,
  names: readonly string[],
): Promise<KnowledgeSource[]> {
  if (names.length === 0) return []
  return (await readPage(store, scope, { names, limit: names.length })).items
}

export async function viewSource(
  store: StoreOperations,
  scope: string,
  name: string,
): Promise<KnowledgeSource> {
  return (await viewSources(store, scope, [name]))[0]!
}

export function forgetSource(store: StoreOperations, { scope, actor }: Who, name: string): Promise<void> {
  return store.transaction(async (tx) => {
    const source = await tx.getKnowledgeSource(scope, name)
    if (!source || !(await tx.forgetKnowledgeSource(scope, name))) throw notFound('source', name)
    await tx.recordAudit(scope, {
      actor,
      action: 'delete',
      resourceType: 'knowledge',
      resourceId: name,
      detail: { kind: source.kind, relations: source.relations },
    })
    await recordChange(tx, source, { action: 'forget', removed: source.relations })
  })
}

export async function listEntities(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { q, limit, cursor }: Omit<EntityListQuery, 'scope'>,
): Promise<EntityPage> {
  const page = await store.listEntities(scope, { part: q, limit: requireLimit(limits, limit), cursor })
  return {
    ...page,
    items: page.items.map(({ id, name, type, description }) => ({ id, name, type, description })),
  }
}

async function readPage(
  store: StoreOperations,
  scope: string,
  filter: SourceFilter,
): Promise<KnowledgeSourcePage> {
  const page = await store.listKnowledgeSources(scope, filter)
  const parts = await store.countKnowledgeParts(page.items.map(({ id }) => id))
  return { ...page, items: page.items.map((source) => toView(source, parts.get(source.id))) }
}

function toView(
  source: ListedSource,
  parts: { total: number; done: number; sessionIds: string[] } | undefined,
): KnowledgeSource {
  const isDocument = source.kind === 'document'
  return {
    name: source.name,
    kind: source.kind,
    ...(source.title !== undefined && { title: source.title }),
    status: source.status,
    ...(source.reason !== undefined && { reason: source.reason }),
    ...(isDocument && source.version > 0 && { version: source.version }),
    ...(source.currentVersion !== undefined && { currentVersion: source.currentVersion }),
    ...(parts && { parts: parts.total, partsDone: parts.done, sessionIds: parts.sessionIds }),
    relations: source.relations,
    createdAt: toTimestamp(source.createdAt),
    updatedAt: toTimestamp(source.updatedAt),
  }
}

/** Notifies those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function recordChange(
  tx: StoreOperations,
  { scope, name, kind }: Pick<SourceRecord, 'scope' | 'name' | 'kind'>,
  data: { action: 'import' | 'extract' | 'forget'; [fact: string]: unknown },
): Promise<void> {
  await tx.recordEvent(scope, { type: 'knowledge-changed', data: { source: name, kind, ...data } })
}
