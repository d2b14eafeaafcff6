import { messageText } from '../protocol/message-text.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

const maxTitle = 60
const maxPreview = 200

/** What is stored with the end of a turn beside its answer: where one can go back to, and a first title. */
export async function recordTurn(
  tx: StoreOperations,
  { clock, ids }: { clock: Clock; ids: Ids },
  session: Session,
  input: TurnInput,
  messageSeq: number,
): Promise<void> {
  const text = messageText(input.message).replace(/\s+/g, ' ').trim()
  if (!input.skipCheckpoint)
    await tx.addCheckpoints(session.id, [
      {
        id: ids.next('cp'),
        messageSeq,
        userMessage: text.slice(0, maxPreview).toWellFormed(),
        completed: true,
        fileChanges: [],
        createdAt: toTimestamp(clock.now()),
      },
    ])
  if (!input.skipSummary && session.title === '' && text !== '')
    await tx.updateSession(session.scope, session.id, { title: toTitle(text) })
}

/** One line; control characters have no place in it. */
const toTitle = (text: string) => [...text.replaceAll(/\p{Cc}/gu, ' ')].slice(0, maxTitle).join('').trim()

/** For followers of the scope. Last in its transaction: others wait for the row of the scope. */
export async function recordRunEvent(
  tx: StoreOperations,
  { id, scope, sessionId }: Pick<Run, 'id' | 'scope' | 'sessionId'>,
  type: 'run-started' | 'run-finished',
  data: Record<string, unknown> = {},
): Promise<void> {
  await tx.recordEvent(scope, { type, sessionId, data: { runId: id, ...data } })
}
