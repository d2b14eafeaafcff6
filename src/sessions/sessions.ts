import type { ChatBody, RunRecord } from '../protocol/chat.ts'
import { invalidRequest } from '../protocol/error.ts'
import { requireCleanJson } from '../protocol/json.ts'
import { misfit } from '../protocol/issues.ts'
import { appendMessageSchema } from '../protocol/message.ts'
import { defaultScope, type InScope, scopeSchema } from '../protocol/names.ts'
import type { ObserveOptions, SendOptions, Sessions } from '../protocol/sessions.ts'
import { createAnySessionSchema } from '../protocol/background.ts'
import { rollbackSchema, type Rollback } from '../protocol/rollback.ts'
import { forkSessionSchema, sessionListQuerySchema, updateSessionSchema } from '../protocol/session.ts'
import { putMemoSchema, putWindowSchema, resizeRequestSchema, undoMemoSchema } from '../protocol/window.ts'
import { editQueuedSchema, reorderQueueSchema, type QueuePage, type SteeredInput } from '../protocol/queue.ts'
import type { Clock } from '../shared/clock.ts'
import type { Store } from '../store/store.ts'
import type { z } from 'zod'
import { appendMessage } from './append.ts'
import type { Caller } from './caller.ts'
import { deleteSession, type SessionDeleter } from './delete.ts'
import { exportSession } from './export.ts'
import { forkSession } from './fork.ts'
import { requireFormat } from './formats/format.ts'
import { readDocuments } from './formats/read-documents.ts'
import { getSession } from './get.ts'
import { importSession } from './import.ts'
import { listInbox } from './inbox.ts'
import { listMessages, listSessions, type PageLimits } from './list.ts'
import { getResult } from './result.ts'
import { listCheckpoints } from './rollback.ts'
import type { SessionRooms } from './session-rooms.ts'
import { startBackground, type BackgroundStarter } from './start-background.ts'
import { updateSession } from './update.ts'
import { getSessionUsage } from './usage.ts'
import { listVariants } from './variants.ts'
import {
  getMemo,
  getWindow,
  listMemoVersions,
  putMemo,
  putWindow,
  resizeWindow,
  undoMemo,
} from './window/memos.ts'
import type { Windows } from './window/windows.ts'

/** What the chat core does for sessions; handed in, since it lies above them. */
export interface SessionChats {
  chat(caller: Caller, id: string, body: ChatBody | string): ReturnType<Sessions['chat']>
  send(
    caller: Caller,
    id: string,
    body: ChatBody | string,
    options?: SendOptions,
  ): ReturnType<Sessions['send']>
  observe(caller: Caller, id: string, options?: ObserveOptions): ReturnType<Sessions['observe']>
  stop(caller: Caller, id: string): ReturnType<Sessions['stop']>
  rollback(caller: Caller, id: string, input: Rollback): ReturnType<Sessions['rollback']>
  prompt(caller: Caller, id: string): ReturnType<Sessions['prompt']>
  queue: {
    list(caller: Caller, id: string): Promise<QueuePage>
    reorder(caller: Caller, id: string, runIds: string[]): Promise<QueuePage>
    edit(caller: Caller, id: string, runId: string, content: string): Promise<RunRecord>
    remove(caller: Caller, id: string, runId: string): Promise<void>
    steer(caller: Caller, id: string, runId: string): Promise<SteeredInput>
  }
}

/** The sessions of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createSessions(
  store: Store,
  clock: Clock,
  limits: PageLimits,
  chats: SessionChats,
  windows: Windows,
  background: BackgroundStarter & SessionDeleter,
  rooms: SessionRooms,
): Sessions {
  return {
    create: async (input = {}) => {
      const { scope, ...body } = check(createAnySessionSchema, input)
      const caller = callerIn({ scope })
      if (body.kind !== 'background') return rooms.create(store, caller, body)
      const { kind: _, ...task } = body
      return (await startBackground(store, background, caller, task)).session
    },
    get: async (id, options) => getSession(store, callerIn(options), id),
    list: async (query = {}) =>
      listSessions(store, limits, callerIn(query), check(sessionListQuerySchema, query)),
    update: async (id, patch) =>
      updateSession(store, { clock, rooms }, callerIn(patch), id, check(updateSessionSchema, patch)),
    delete: async (id, options) => deleteSession(store, background, callerIn(options), id),
    fork: async (id, input) =>
      forkSession(store, callerIn(input), id, check(forkSessionSchema, input), rooms),
    variants: async (id, options) => listVariants(store, callerIn(options), id),
    checkpoints: async (id, options) => listCheckpoints(store, callerIn(options), id),
    rollback: async (id, input) => chats.rollback(callerIn(input), id, check(rollbackSchema, input)),
    messages: async (id, query = {}) => listMessages(store, limits, callerIn(query), id, query),
    append: async (id, message) =>
      appendMessage(store, callerIn(message), id, check(appendMessageSchema, message)),
    chat: (id, body) => chats.chat(callerIn(typeof body === 'string' ? {} : body), id, body),
    send: async (id, body, options) =>
      chats.send(callerIn(typeof body === 'string' ? {} : body), id, body, options),
    observe: (id, options) => chats.observe(callerIn(options), id, options),
    result: async (id, options) => getResult(store, callerIn(options), id),
    stop: async (id, options) => chats.stop(callerIn(options), id),
    queue: {
      list: async (id, options) => chats.queue.list(callerIn(options), id),
      reorder: async (id, order) =>
        chats.queue.reorder(callerIn(order), id, check(reorderQueueSchema, order).runIds),
      edit: async (id, runId, change) =>
        chats.queue.edit(callerIn(change), id, runId, check(editQueuedSchema, change).content),
      remove: async (id, runId, options) => chats.queue.remove(callerIn(options), id, runId),
      steer: async (id, runId, options) => chats.queue.steer(callerIn(options), id, runId),
    },
    inbox: async (id, options) => listInbox(store, callerIn(options), id),
    usage: async (id, options) => getSessionUsage(store, windows, callerIn(options), id, options),
    prompt: async (id, options) => chats.prompt(callerIn(options), id),
    window: async (id, options) => getWindow(store, windows, callerIn(options), id),
    setWindow: async (id, settings) =>
      putWindow(store, windows, callerIn(settings), id, check(putWindowSchema, settings)),
    resize: async (id, request = {}) =>
      resizeWindow(store, windows, callerIn(request), id, check(resizeRequestSchema, request)),
    memo: async (id, options = {}) => getMemo(store, windows, callerIn(options), id, options.version),
    memoVersions: async (id, query = {}) => listMemoVersions(store, limits, callerIn(query), id, query),
    setMemo: async (id, input) => putMemo(store, windows, callerIn(input), id, check(putMemoSchema, input)),
    undoMemo: async (id, input = {}) =>
      undoMemo(store, windows, callerIn(input), id, check(undoMemoSchema, input)),
    export: async (id, options = {}) =>
      requireFormat(options.format ?? 'json').write(
        await exportSession(store, windows, callerIn(options), id),
      ),
    import: async (text, options) => {
      const documents = readDocuments(text)
      if (documents.length !== 1)
        throw invalidRequest(`The text holds ${documents.length} conversations; import takes one at a time.`)
      return importSession(store, windows, callerIn(options), documents[0]!)
    },
  }
}

/** The program itself: it may do everything, in any scope. */
export function callerIn({ scope = defaultScope }: InScope = {}): Caller {
  return { scope: check(scopeSchema, scope), actor: { type: 'user', id: 'library' }, seesAllScopes: true }
}

/** What a program hands in is checked as if it had come over HTTP. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  requireCleanJson(value)
  const result = schema.safeParse(value)
  if (!result.success) throw misfit(result.error, value)
  return result.data
}
