import { operationsOf, type Call } from '../operations/operation.ts'
import { runSchema } from '../protocol/chat.ts'
import { inScopeSchema } from '../protocol/names.ts'
import {
  editQueuedSchema,
  queuePageSchema,
  reorderQueueSchema,
  steeredInputSchema,
} from '../protocol/queue.ts'
import { toRunRecord } from '../runs/run-record.ts'
import type { ChatRuns } from './chat-runs.ts'
import { editQueued, listQueue, removeQueued, reorderQueue, steerQueued, toQueuePage } from './input-queue.ts'

const queue = operationsOf<{ chats: ChatRuns }>('queue')

const placeOf = ({ scope, keyName }: Call<unknown>['caller'], sessionId: string) => ({
  scope,
  sessionId,
  keyName,
})

/** Inputs of a session that wait for their turn. */
export const queueOperations = {
  /** In the order they will be taken up. */
  list: queue.read('/api/sessions/{id}/queue', {
    summary: 'List queued inputs, in order',
    output: queuePageSchema,
    returns: 'What waits',
    run: async ({ tx, deps, caller }, { id }) =>
      toQueuePage(await listQueue(tx, deps.chats.kinds, placeOf(caller, id))),
  }),
  /** Refused with `conflict`, and `details.runIds` as they are, unless it names all that wait and nothing else. */
  reorder: queue.write('PUT', '/api/sessions/{id}/queue', {
    summary: 'Reorder queued inputs; 409 with the current order unless all are named',
    input: reorderQueueSchema,
    output: queuePageSchema,
    returns: 'What waits, in its new order',
    run: async ({ tx, deps, caller }, { id }, { runIds }) =>
      toQueuePage(await reorderQueue(tx, deps.chats.kinds, placeOf(caller, id), runIds)),
  }),
  /** Changes the text of one. */
  edit: queue.write('PATCH', '/api/sessions/{id}/queue/{runId}', {
    summary: 'Change the text of a queued input',
    input: editQueuedSchema,
    output: runSchema,
    returns: 'The input as it is now',
    run: async ({ tx, deps, caller }, { id, runId }, { content }) =>
      toRunRecord(await editQueued(tx, deps.chats, placeOf(caller, id), runId, content)),
  }),
  /** Takes one back. */
  remove: queue.remove('/api/sessions/{id}/queue/{runId}', {
    summary: 'Remove a queued input',
    returns: 'Taken back',
    run: ({ tx, deps, caller }, { id, runId }) =>
      removeQueued(tx, deps.chats.kinds, placeOf(caller, id), runId),
  }),
  /** Passes one to the running turn; if there is none, it becomes the next turn. */
  steer: queue.write('POST', '/api/sessions/{id}/queue/{runId}/steer', {
    summary: 'Pass a queued input to the running turn; if there is none, it becomes the next turn',
    input: inScopeSchema.meta({ id: 'SteerQueued' }),
    output: steeredInputSchema,
    returns: 'Where the input went',
    run: ({ tx, deps, caller }, { id, runId }) =>
      steerQueued(tx, deps.chats.kinds, placeOf(caller, id), runId),
  }),
}
