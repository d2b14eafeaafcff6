/**
 * The inputs of a session that wait for their turn: queued runs, apart from tasks, which wait for a slot, and turns that
 * begin by themselves. Whatever changes the queue tells of it in its transaction, so that all who show it agree.
 */
import { conflict, notFound } from '../protocol/error.ts'
import type { QueuePage, SteeredInput } from '../protocol/queue.ts'
import { toRunRecord } from '../runs/run-record.ts'
import { requirePerson } from '../sessions/people.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

interface Place {
  scope: string
  sessionId: string
  /** Of the key with which it is asked. */
  keyName?: string
}

/** In the order they will be taken up. */
export async function listQueue(store: StoreOperations, { scope, sessionId }: Place): Promise<Run[]> {
  await store.requireSession(scope, sessionId)
  return readQueue(store, sessionId)
}

export const toQueuePage = (queue: Run[]): QueuePage => ({ items: queue.map(toRunRecord), nextCursor: null })

/** Tells how many wait now. Last in its transaction: others wait for the row of the scope. */
export async function tellQueue(tx: StoreOperations, { scope, sessionId }: Place): Promise<void> {
  const { length: count } = await readQueue(tx, sessionId)
  await tx.recordEvent(scope, { type: 'session-queue', sessionId, data: { count } })
}

/** Whether a run is an input that waits, or did before it was taken up. */
export const isInput = ({ kind, input }: Run) =>
  (kind === 'turn' || kind === 'agent' || kind === 'room') &&
  (input as TurnInput).isWake !== true &&
  (input as TurnInput).room?.advance === undefined

/** Takes exactly those that wait, in another order; refuses any other list, and says which would be right. */
export function reorderQueue(store: StoreOperations, place: Place, runIds: string[]): Promise<Run[]> {
  return store.transaction(async (tx) => {
    const present = (await listQueue(tx, place)).map(({ id }) => id)
    const isSame = [...present].sort().join() === [...runIds].sort().join()
    if (!isSame || !(await tx.orderQueuedRuns(place.sessionId, runIds)))
      throw conflict('The list must hold all inputs that wait, each once, and no others.', {
        runIds: (await readQueue(tx, place.sessionId)).map(({ id }) => id),
      })
    if (runIds.join() !== present.join()) await tellQueue(tx, place)
    return readQueue(tx, place.sessionId)
  })
}

export function editQueued(
  store: StoreOperations,
  place: Place,
  runId: string,
  content: string,
): Promise<Run> {
  return store.transaction(async (tx) => {
    const { input } = await requireQueued(tx, place, runId)
    const { message, ...rest } = input as TurnInput
    if (rest.room)
      requirePerson(await tx.requireSession(place.scope, place.sessionId), rest.room.from, place.keyName)
    const attached = message.parts.filter(({ type }) => type !== 'text')
    const parts = [{ type: 'text', text: content }, ...attached]
    const edited: TurnInput = { ...rest, message: { ...message, parts } }
    // it may have begun meanwhile
    if (!(await tx.editQueuedRun(place.scope, runId, edited))) throw notFound('queued input', runId)
    await tellQueue(tx, place)
    return (await tx.getRun(place.scope, runId))!
  })
}

export function removeQueued(store: StoreOperations, place: Place, runId: string): Promise<void> {
  return store.transaction(async (tx) => {
    await requireQueued(tx, place, runId)
    if (!(await tx.cancelQueuedRun(place.scope, runId))) throw notFound('queued input', runId)
    await tellQueue(tx, place)
  })
}

/** Hands an input that waits into the turn that goes on; where none does, it becomes the next. */
export function steerQueued(store: StoreOperations, place: Place, runId: string): Promise<SteeredInput> {
  const { scope, sessionId } = place
  return store.transaction(async (tx) => {
    await requireQueued(tx, place, runId)
    const running = (await tx.listOpenRuns(sessionId)).find(({ status }) => status === 'running')
    // several agents answer in a room: there is no one turn that could take it in
    const steered =
      running !== undefined && running.kind !== 'room' && (await tx.steerQueuedRun(running, runId))
    if (!steered) {
      const rest = (await readQueue(tx, sessionId)).map(({ id }) => id).filter((id) => id !== runId)
      if (!(await tx.orderQueuedRuns(sessionId, [runId, ...rest]))) throw notFound('queued input', runId)
    }
    await tellQueue(tx, place)
    return { steered, run: toRunRecord((await tx.getRun(scope, steered ? running.id : runId))!) }
  })
}

const readQueue = async (store: StoreOperations, sessionId: string): Promise<Run[]> =>
  (await store.listOpenRuns(sessionId)).filter((run) => run.status === 'queued' && isInput(run))

async function requireQueued(
  store: StoreOperations,
  { scope, sessionId }: Place,
  runId: string,
): Promise<Run> {
  await store.requireSession(scope, sessionId)
  const run = await store.getRun(scope, runId)
  // a task that waits is no input: it is stopped with its session, which settles it
  if (run?.sessionId !== sessionId || run.status !== 'queued' || !isInput(run))
    throw notFound('queued input', runId)
  return run
}
