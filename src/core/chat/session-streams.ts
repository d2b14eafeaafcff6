import { check, programIn } from '../operations/calls.ts'
import { doOnce } from '../operations/do-once.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { ChatBody } from '../protocol/chat.ts'
import type { RunEvent } from '../protocol/chunk.ts'
import {
  readOutputSchema,
  readTyped,
  withOutput,
  type OutputSchema,
  type TypedAnswer,
} from '../protocol/output.ts'
import type { SessionStreams } from '../protocol/sessions.ts'
import { newestRun, requireRunOf } from '../runs/newest-run.ts'
import { exportAll } from '../sessions/export-all.ts'
import { exportSession } from '../sessions/export.ts'
import { requireFormat } from '../sessions/formats/format.ts'
import { readDocuments } from '../sessions/formats/read-documents.ts'
import { importSession } from '../sessions/import.ts'
import { createFileImports } from '../sessions/imports/file-imports.ts'
import type { ImportLimits } from '../protocol/import-limits.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { Ids } from '../shared/ids.ts'
import { createStreamed, type Streamed } from '../shared/streamed.ts'
import { catchUpIndex } from '../store/catch-up-index.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { Chats } from './chats.ts'
import { toTurnInput } from './send-message.ts'
import type { TurnInput } from './turn-input.ts'

/** What of sessions streams, and their documents, for the program that embeds Parley. */
export function createSessionStreams({
  store,
  chats,
  windows,
  ids,
  imports,
}: {
  store: Store
  chats: Chats
  windows: Windows
  ids: Ids
  imports?: Partial<ImportLimits>
}): SessionStreams {
  const { facets } = store
  const files = createFileImports({ store, windows, limits: imports })
  const read = (body: unknown) =>
    check(facets.chatSchemas.body, typeof body === 'string' ? { content: body } : body)
  return {
    chat<Value>(
      sessionId: string,
      body: ChatBody | string,
      options?: { output: OutputSchema<Value> },
    ): Streamed<RunEvent, TypedAnswer<Value>> {
      const wanted = options && readOutputSchema(options.output)
      const given = read(wanted ? withOutput(body, wanted.form) : body)
      const { scope } = programIn(given)
      // sent once, however often it is watched or awaited
      let admitted: ReturnType<Chats['admit']> | undefined
      const admit = async () => {
        admitted ??= chats
          .admit(store, { scope, sessionId }, toTurnInput(given, ids, facets), given.policy)
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
        async answer() {
          const run = await admit()
          const { signal } = new AbortController()
          // a typed answer is the end of the turn, whatever it waits for before
          if (wanted) return readTyped(wanted, await chats.answerOf(run, signal))
          const answer = await chats.answerOrCalls(run, run.input as TurnInput, signal)
          return answer as TypedAnswer<Value>
        },
      })
    },
    async send(sessionId, body, { idempotencyKey } = {}) {
      const given = read(body)
      const { scope } = programIn(given)
      let begin = () => {}
      const admit = async (tx: StoreOperations) => {
        const admitted = await chats.admit(
          tx,
          { scope, sessionId },
          toTurnInput(given, ids, facets),
          given.policy,
        )
        begin = admitted.begin
        return { runId: admitted.run.id }
      }
      const content = [JSON.stringify(['send', sessionId, given])]
      const accepted = await (idempotencyKey
        ? doOnce(store, { scope, key: idempotencyKey, content }, admit)
        : admit(store))
      begin()
      return accepted
    },
    async *observe(
      sessionId,
      { scope: given, run: runId, after, signal = new AbortController().signal } = {},
    ) {
      const { scope } = programIn({ scope: given })
      await store.requireSession(scope, sessionId)
      const run = await (runId
        ? requireRunOf(store, scope, sessionId, runId)
        : newestRun(store, scope, sessionId))
      if (!run) return
      for await (const events of chats.observe(run.id, { after, signal })) yield { runId: run.id, events }
    },
    export: async (id, { format = 'json', ...options } = {}) =>
      requireFormat(format).write(
        await exportSession(store, windows, programIn(options), id),
        facets.documents,
      ),
    async *exportAll({ scope, ...selection } = {}) {
      const caller = programIn({ scope })
      if (selection.q !== undefined) await catchUpIndex(store, caller.scope)
      yield* exportAll({ store, windows }, caller, selection)
    },
    async import(text, options) {
      const documents = readDocuments(text, { rules: facets.documents })
      if (documents.length !== 1)
        throw invalidRequest(`The text holds ${documents.length} conversations; import takes one at a time.`)
      return importSession(store, windows, programIn(options), documents[0]!)
    },
    importFile: (file, { onProgress, signal, ...options } = {}) =>
      files.take(
        programIn(options),
        { size: file.size, pieces: file.stream() as AsyncIterable<Uint8Array> },
        { onProgress, signal },
      ),
  }
}
