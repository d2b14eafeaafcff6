import type { OnSettled } from '../../core/tasks/task-deps.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'
import { readingSource, startReading } from './start-reading.ts'
import { failLostParts, settlePart } from './settle-part.ts'

/** Has documents read, one part after the other. All of its state is in the store: any number of nodes may do so. */
export interface KnowledgeReader {
  /** Called at the end of every background session, in its transaction. */
  settle: OnSettled
  start(): void
  /** Waits for the pass in progress. */
  stop(): Promise<void>
}

// this process continues its own parts at once; the poll is for those of other processes, and for those that had to wait
const pollMs = 5_000

export function createKnowledgeReader(deps: KnowledgeDeps): KnowledgeReader {
  const { store, logger } = deps
  // sessions whose end is stored with the current transaction
  const ending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  let isStopping = false

  async function readScope(scope: string): Promise<void> {
    if (isStopping) return
    await store.transaction(async (tx) => {
      await tx.lockKnowledge(scope)
      await failLostParts(tx, scope)
      await startReading(tx, deps, scope)
    })
  }

  const enqueue = (findScopes: () => Promise<string[]>) => {
    reading = reading.then(async () => {
      try {
        for (const scope of await findScopes()) await readScope(scope)
      } catch (error) {
        logger.warn({ err: error }, 'reading documents failed, will try again')
      }
    })
  }

  const unsubscribe = store.subscribe((change) => {
    if (change.type === 'session-changed' && ending.delete(change.sessionId))
      enqueue(async () => [change.scope])
  })

  return {
    async settle(tx, { id, scope, bgMeta }, result) {
      if (bgMeta?.source !== readingSource) return
      await settlePart(tx, scope, result)
      ending.add(id)
    },
    start() {
      const readAll = () => enqueue(() => store.listReadingScopes())
      timer = setInterval(readAll, pollMs)
      timer.unref()
      readAll()
    },
    async stop() {
      isStopping = true
      clearInterval(timer)
      unsubscribe()
      await reading
    },
  }
}
