import type { Logger } from 'pino'
import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { TurnHooks } from '../../core/chat/turn-hooks.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { SentMemory } from './facets.ts'
import { tagged, type Fragment } from '../../core/prompt/fragment.ts'

/** What is done with memories around a turn; what is left out is not done. */
export interface MemoryHooks {
  /** What is remembered and fits the input. Of a run that used some, it answers the same. */
  readMemories?(session: Session, input: TurnInput, run: Run): Promise<SentMemory[]>
  /** In the transaction of the first step: what was sent along counts as used. */
  useMemories?(tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void>
  extractRound?(session: Session, run: Run): Promise<void>
  extractNarrative?(session: Session, run: Run): Promise<void>
  extractDocuments?(session: Session, run: Run): Promise<void>
}

/** Adds memories to prompts. A failure is logged, and the turn continues without them. */
export const memorySource = (hooks: MemoryHooks, logger: Logger): PromptSource => ({
  name: 'memory',
  // a turn that started without memory continues without it
  appliesTo: (session, input) =>
    hooks.readMemories !== undefined && !(input.skipMemory ?? session.bgMeta?.skipMemory),
  async load(session, input, { run, command }) {
    // where no model is called, nothing is searched
    if (!run || command?.mode === 'action') return {}
    try {
      return { memories: await hooks.readMemories!(session, input, run) }
    } catch (error) {
      logger.warn({ err: error }, 'memories could not be read; the turn continues without them')
      return {}
    }
  },
  places: [
    {
      fragment: memoryProfile,
      part: 'dynamic',
      before: 'current_date',
      isFor: ({ flags }) => !flags?.skipMemory,
    },
  ],
  leftOut: ({ skipMemory }) => (skipMemory ? [memoryProfile.name] : []),
  uses: {
    fragment: memoryProfile.name,
    idsIn: ({ memories = [] }) => memories.flatMap(({ id }) => id ?? []),
    record: async (tx, run, ids) => hooks.useMemories?.(tx, run, ids),
    describe: (ids) => ({ memories: { used: ids } }),
  },
})

/** Learns from turns that ended, unless their inputs say otherwise. */
export function memoryTurnHooks(hooks: MemoryHooks, logger: Logger): TurnHooks {
  const steps = [
    { extract: hooks.extractRound, skip: 'skipPerRoundExtract' },
    { extract: hooks.extractNarrative, skip: 'skipNarrativeBatchExtract' },
    { extract: hooks.extractDocuments, skip: 'skipDocumentExtract' },
  ] as const
  if (steps.every(({ extract }) => !extract)) return {}
  return {
    async afterTurn(session, run) {
      for (const { extract, skip } of steps) {
        if (!extract || (run.input as TurnInput)[skip]) continue
        try {
          await extract(session, run)
        } catch (error) {
          logger.warn({ err: error, runId: run.id }, 'learning from a turn failed; the turn did not')
        }
      }
    },
  }
}

export const memoryProfile: Fragment = {
  name: 'memory_profile',
  tag: 'memories',
  render: ({ memories = [] }) =>
    tagged('memories', memories.map(({ kind, text }) => `- (${kind}) ${text}`).join('\n')),
}
