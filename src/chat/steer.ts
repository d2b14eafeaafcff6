import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { Run } from '../store/queries/runs.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

/** What was said to a turn while it went on, taken in between two steps. It becomes a part of the reply it changed. */
export interface Steering {
  itemIds: string[]
  parts: Part[]
}

export async function readSteering(store: StoreOperations, sessionId: string): Promise<Steering> {
  const items = (await store.listInbox(sessionId)).filter(isSteer)
  return { itemIds: items.map(({ id }) => id), parts: items.map(toPart) }
}

export function tellSteering({ parts }: Steering, log: RunLog): void {
  for (const part of parts) log.emit({ type: 'data-steer', id: part.id as string, data: part.data })
}

/** What a turn ended without taking in waits for the next one: each becomes an input of its own. */
export async function requeueSteering(tx: StoreOperations, run: Run): Promise<void> {
  const items = (await tx.listInbox(run.sessionId)).filter(isSteer)
  for (const { payload } of items)
    await tx.createRun({ scope: run.scope, sessionId: run.sessionId, kind: run.kind, input: payload })
  await tx.takeInbox(
    run.sessionId,
    items.map(({ id }) => id),
  )
}

const isSteer = ({ kind }: InboxItem) => kind === 'steer'

function toPart({ payload }: InboxItem): Part {
  const { message } = payload as TurnInput
  return { type: 'data-steer', id: message.id, data: { parts: message.parts } }
}
