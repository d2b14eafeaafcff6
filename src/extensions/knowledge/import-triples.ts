import { conflict, quote } from '../../core/protocol/error.ts'
import type { ImportKnowledge, KnowledgeImported } from './protocol/knowledge.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { sourceIdOf } from './store/knowledge-key.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { viewSource, recordChange } from './sources.ts'
import { toTripleSet } from './triples.ts'

/** Imports the triples of a source. Its earlier ones stay unless they are to be replaced. */
export function importTriples(
  store: StoreOperations,
  { scope, actor }: Pick<Caller, 'scope' | 'actor'>,
  { source: name, triples, replace = false }: Omit<ImportKnowledge, 'scope'>,
): Promise<KnowledgeImported> {
  const said = toTripleSet({ id: sourceIdOf(scope, name), scope }, triples)
  return store.transaction(async (tx) => {
    await tx.ensureScope(scope)
    await tx.lockKnowledge(scope)
    const source = await tx.ensureKnowledgeSource({ scope, name, kind: 'import' })
    if (source.kind !== 'import')
      throw conflict(`${quote(name)} is a document that was read; an import needs another name.`)
    const { added, removed } = await tx.putTriples(source, said, { replace })
    await tx.recordAudit(scope, {
      actor,
      action: 'import',
      resourceType: 'knowledge',
      resourceId: name,
      detail: { added, removed, replace },
    })
    await recordChange(tx, source, { action: 'import', added, removed })
    return { source: await viewSource(tx, scope, name), added, removed }
  })
}
