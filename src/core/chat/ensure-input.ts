import { toTimestamp } from '../protocol/names.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { recordRunEvent } from './record-turn.ts'
import { notifyQueue, type RunKinds } from './input-queue.ts'
import type { TurnInput } from './turn-input.ts'

/** Of a queued input the log gets to know when its turn begins; a run that is taken over has it there already. */
export async function ensureInput(store: StoreOperations, kinds: RunKinds, run: Run): Promise<WindowMessage> {
  const { message, skipChatStatus, recordsPair } = run.input as TurnInput
  if (recordsPair)
    return { ...message, role: 'user', seq: Number.MAX_SAFE_INTEGER, createdAt: toTimestamp(run.createdAt) }
  const stored = await store.getMessage(run.scope, run.sessionId, message.id)
  if (stored) return stored
  return store.transaction(async (tx) => {
    // an owner that was thought dead may be about to write the same
    await tx.lockSession(run.scope, run.sessionId)
    const written = await tx.getMessage(run.scope, run.sessionId, message.id)
    if (written) return written
    const chatStatus = skipChatStatus ? undefined : 'chatting'
    const input = { ...message, role: 'user' as const }
    const [appended] = await tx.appendMessages(run.scope, run.sessionId, [input], { chatStatus })
    if (chatStatus) await recordRunEvent(tx, run, 'run-started')
    if (kinds.takesInput(run)) await notifyQueue(tx, kinds, run)
    return appended!
  })
}
