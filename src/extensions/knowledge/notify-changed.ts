import type { SourceRecord } from './store/knowledge-sources.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellChanged(
  tx: StoreOperations,
  { scope, name, kind }: Pick<SourceRecord, 'scope' | 'name' | 'kind'>,
  data: { action: 'import' | 'extract' | 'forget'; [fact: string]: unknown },
): Promise<void> {
  await tx.recordEvent(scope, { type: 'knowledge-changed', data: { source: name, kind, ...data } })
}
