import type { Session } from '../../core/protocol/session.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { MemoryControl } from './memory-tool.ts'
import type { MemoryDeps } from './memory-service.ts'
import { readMemories, useMemories, type InjectedMemory } from './inject-memories.ts'
import { learnDocuments } from './learn-documents.ts'
import { learnNarrative } from './learn-narrative.ts'
import { learnFromRound } from './learn-round.ts'
import { createMemoryControl } from './memory-control.ts'
import type { TurnWords } from './turn-words.ts'

/** What is remembered, as turns use it and add to it. */
export interface Memory {
  /** What the chat core calls around a turn; empty where memory is switched off. */
  hooks: {
    readMemories?(session: Session, input: TurnWords, run: Run): Promise<InjectedMemory[]>
    useMemories?(tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void>
    extractRound?(session: Session, run: Run): Promise<void>
    extractNarrative?(session: Session, run: Run): Promise<void>
    extractDocuments?(session: Session, run: Run): Promise<void>
  }
  control: MemoryControl
  /** Aborts learning, and resolves when nothing is running any more. */
  stop(): Promise<void>
}

export function createMemory(deps: MemoryDeps): Memory {
  const { settings } = deps
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const learn = async (work: (signal: AbortSignal) => Promise<void>) => {
    if (stopping.signal.aborted) return
    const learning = work(stopping.signal).catch((error: unknown) => {
      // nothing is wrong with being stopped
      if (!stopping.signal.aborted) throw error
    })
    running.add(learning)
    await learning.finally(() => running.delete(learning))
  }
  return {
    hooks: {
      ...(settings.enabled && {
        readMemories: (session: Session, input: TurnWords, run: Run) =>
          readMemories(deps, session, input, run),
        useMemories,
      }),
      ...(settings.enabled &&
        settings.learn && {
          extractRound: (_session: Session, run: Run) => learn((signal) => learnFromRound(deps, run, signal)),
          extractNarrative: (session: Session, run: Run) =>
            learn((signal) => learnNarrative(deps, session, run, signal)),
          extractDocuments: (_session: Session, run: Run) =>
            learn((signal) => learnDocuments(deps, run, signal)),
        }),
    },
    control: createMemoryControl(deps),
    async stop() {
      stopping.abort(new Error('Parley is closing.'))
      await Promise.allSettled(running)
    },
  }
}
