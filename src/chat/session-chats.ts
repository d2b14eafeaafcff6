import { createHash } from 'node:crypto'
import type { ChatBody } from '../protocol/chat.ts'
import { chatSchema } from '../protocol/chat.ts'
import { misfit } from '../protocol/issues.ts'
import { requireCleanJson } from '../protocol/json.ts'
import { newestRun, requireRunOf } from '../runs/newest-run.ts'
import { toRunRecord } from '../runs/run-record.ts'
import { toStoppedWork } from '../runs/stopped-work.ts'
import type { SessionChats } from '../sessions/sessions.ts'
import { rollbackSession, type RollbackDeps } from '../sessions/rollback.ts'
import { stopSession, type Stoppers } from '../sessions/stop.ts'
import type { Ids } from '../shared/ids.ts'
import { createStreamed } from '../shared/streamed.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { Chats } from './chats.ts'
import { editQueued, listQueue, removeQueued, reorderQueue, steerQueued, toQueuePage } from './queue.ts'
import { toTurnInput } from './send.ts'

/** The chat core as the library offers it. */
export function createSessionChats({
  store,
  chats,
  background,
  ids,
  restorers,
  rooms,
}: {
  store: Store
  chats: Chats
  background: Stoppers['background']
  ids: Ids
  restorers?: RollbackDeps['restorers']
  rooms?: RollbackDeps['rooms']
}): SessionChats {
  return {
    chat({ scope }, sessionId, body) {
      const given = check(typeof body === 'string' ? { content: body } : body)
      // sent once, however often it is watched or awaited
      let admitted: ReturnType<Chats['admit']> | undefined
      const admit = async () => {
        admitted ??= chats
          .admit(store, { scope, sessionId }, toTurnInput(given, ids), given.policy)
          .then((admission) => {
            admission.begin()
            return admission
          })
        return (await admitted).run
      }
      return createStreamed({
        async *events() {
          yield* chats.observe((await admit()).id, { signal: new AbortController().signal })
        },
        answer: async () => chats.answerOf(await admit(), new AbortController().signal),
      })
    },
    async send({ scope }, sessionId, body, { idempotencyKey } = {}) {
      const given = check(typeof body === 'string' ? { content: body } : body)
      let begin = () => {}
      const admit = async (tx: StoreOperations) => {
        const admitted = await chats.admit(tx, { scope, sessionId }, toTurnInput(given, ids), given.policy)
        begin = admitted.begin
        return { runId: admitted.run.id }
      }
      const request = idempotencyKey && { scope, key: idempotencyKey, content: ['send', sessionId, given] }
      const accepted = await (request ? once(store, request, admit) : admit(store))
      begin()
      return accepted
    },
    async *observe({ scope }, sessionId, { run: runId, after, signal = new AbortController().signal } = {}) {
      await store.requireSession(scope, sessionId)
      const run = await (runId
        ? requireRunOf(store, scope, sessionId, runId)
        : newestRun(store, scope, sessionId))
      if (!run) return
      for await (const events of chats.observe(run.id, { after, signal })) yield { runId: run.id, events }
    },
    stop: async (caller, sessionId) =>
      toStoppedWork(await stopSession(store, { chats, background }, caller, sessionId)),
    rollback: (caller, sessionId, { scope: _, ...input }) =>
      rollbackSession({ store, stoppers: { chats, background }, restorers, rooms }, caller, sessionId, input),
    queue: {
      list: async ({ scope }, sessionId) => toQueuePage(await listQueue(store, { scope, sessionId })),
      reorder: async ({ scope }, sessionId, runIds) =>
        toQueuePage(await reorderQueue(store, { scope, sessionId }, runIds)),
      edit: async ({ scope }, sessionId, runId, content) =>
        toRunRecord(await editQueued(store, { scope, sessionId }, runId, content)),
      remove: ({ scope }, sessionId, runId) => removeQueued(store, { scope, sessionId }, runId),
      steer: ({ scope }, sessionId, runId) => steerQueued(store, { scope, sessionId }, runId),
    },
    prompt: ({ scope }, sessionId) => chats.previewPrompt({ scope, sessionId }),
  }
}

/** As the server does it for requests with a key. */
function once<Answer>(
  store: Store,
  { scope, key, content }: { scope: string; key: string; content: unknown },
  work: (tx: StoreOperations) => Promise<Answer>,
): Promise<Answer> {
  const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
  return store.transaction(async (tx) => {
    const earlier = await tx.reserveIdempotencyKey(scope, key, fingerprint)
    if (earlier !== undefined) return earlier as Answer
    const answer = await work(tx)
    await tx.saveIdempotentAnswer(scope, key, answer)
    return answer
  })
}

function check(body: unknown): ChatBody {
  requireCleanJson(body)
  const result = chatSchema.safeParse(body)
  if (!result.success) throw misfit(result.error, body)
  return result.data
}
