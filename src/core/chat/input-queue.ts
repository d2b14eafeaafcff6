/**
 * The inputs of a session that wait for their turn: queued runs, apart from tasks, which wait for a slot, and turns that
 * begin by themselves. Whatever changes the queue notifies of it in its transaction, so that all who show it agree.
 */
import { conflict, notFound } from '../protocol/error.ts'
import type { QueuePage, SteeredInput } from '../protocol/queue.ts'
import { toRunRecord } from '../runs/run-record.ts'
import type { RunEngine } from '../runs/run-engine.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

/** What is known of the kinds of runs. */
export type RunKinds = Pick<RunEngine, 'kind' | 'takesInput'>

interface Place {
  scope: string
  sessionId: string
  /** Of the key with which it is asked. */
  keyName?: string
}

/** In the order they will be taken up. */
export async function listQueue(
  store: StoreOperations,
  kinds: RunKinds,
  { scope, sessionId }: Place,
): Promise<Run[]> {
  await store.requireSession(scope, sessionId)
  return readQueue(store, kinds, sessionId)
}

export const toQueuePage = (queue: Run[]): QueuePage => ({ items: queue.map(toRunRecord), nextCursor: null })

/** Notifies of how many wait now. Last in its transaction: others wait for the row of the scope. */
export async function notifyQueue(
  tx: StoreOperations,
  kinds: RunKinds,
  { scope, sessionId }: Place,
): Promise<void> {
  const { length: count } = await readQueue(tx, kinds, sessionId)
  await tx.recordEvent(scope, { type: 'session-queue', sessionId, data: { count } })
}

/** Takes exactly those that wait, in another order; refuses any other list, and names the right one. */
export function reorderQueue(
  store: StoreOperations,
  kinds: RunKinds,
  place: Place,
  runIds: string[],
): Promise<Run[]> {
  return store.transaction(async (tx) => {
    const present = (await listQueue(tx, kinds, place)).map(({ id }) => id)
    const isSame = [...present].sort().join() === [...runIds].sort().join()
    if (!isSame || !(await tx.orderQueuedRuns(place.sessionId, runIds)))
      throw conflict('The list must hold all inputs that wait, each once, and no others.', {
        runIds: (await readQueue(tx, kinds, place.sessionId)).map(({ id }) => id),
      })
    if (runIds.join() !== present.join()) await notifyQueue(tx, kinds, place)
    return readQueue(tx, kinds, place.sessionId)
  })
}

export function editQueued(
  store: StoreOperations,
  { kinds, types }: { kinds: RunKinds; types: SessionTypes },
  place: Place,
  runId: string,
  content: string,
): Promise<Run> {
  return store.transaction(async (tx) => {
    const { input } = await requireQueued(tx, kinds, place, runId)
    const { message, ...rest } = input as TurnInput
    const session = await tx.requireSession(place.scope, place.sessionId)
    types.of(session).checkEdit?.(session, input as TurnInput, place.keyName)
    const attached = message.parts.filter(({ type }) => type !== 'text')
    const parts = [{ type: 'text', text: content }, ...attached]
    const edited: TurnInput = { ...rest, message: { ...message, parts } }
    // it may have begun meanwhile
    if (!(await tx.editQueuedRun(place.scope, runId, edited))) throw notFound('queued input', runId)
    await notifyQueue(tx, kinds, place)
    return (await tx.getRun(place.scope, runId))!
  })
}

export function removeQueued(
  store: StoreOperations,
  kinds: RunKinds,
  place: Place,
  runId: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    await requireQueued(tx, kinds, place, runId)
    if (!(await tx.cancelQueuedRun(place.scope, runId))) throw notFound('queued input', runId)
    await notifyQueue(tx, kinds, place)
  })
}

/** Passes a queued input to the running turn; if there is none, it becomes the next turn. */
export function steerQueued(
  store: StoreOperations,
  kinds: RunKinds,
  place: Place,
  runId: string,
): Promise<SteeredInput> {
  const { scope, sessionId } = place
  return store.transaction(async (tx) => {
    const queued = await requireQueued(tx, kinds, place, runId)
    const running = (await tx.listOpenRuns(sessionId)).find(({ status }) => status === 'running')
    const canBeSteered = running !== undefined && kinds.kind(running.kind)?.canBeSteered !== false
    const { parameters, output } = queued.input as TurnInput
    if (canBeSteered && (parameters || output))
      throw conflict(
        'The input has parameters or an output of its own, which a running turn cannot take over: it waits for its turn.',
      )
    const steered = canBeSteered && (await tx.steerQueuedRun(running, runId))
    if (!steered) {
      const rest = (await readQueue(tx, kinds, sessionId)).map(({ id }) => id).filter((id) => id !== runId)
      if (!(await tx.orderQueuedRuns(sessionId, [runId, ...rest]))) throw notFound('queued input', runId)
    }
    await notifyQueue(tx, kinds, place)
    return { steered, run: toRunRecord((await tx.getRun(scope, steered ? running.id : runId))!) }
  })
}

const readQueue = async (store: StoreOperations, kinds: RunKinds, sessionId: string): Promise<Run[]> =>
  (await store.listOpenRuns(sessionId)).filter((run) => run.status === 'queued' && kinds.takesInput(run))

async function requireQueued(
  store: StoreOperations,
  kinds: RunKinds,
  { scope, sessionId }: Place,
  runId: string,
): Promise<Run> {
  await store.requireSession(scope, sessionId)
  const run = await store.getRun(scope, runId)
  // a task that waits is no input: it is stopped with its session, which settles it
  if (run?.sessionId !== sessionId || run.status !== 'queued' || !kinds.takesInput(run))
    throw notFound('queued input', runId)
  return run
}
