import { z } from 'zod'
import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import { taskResultSchema } from '../protocol/background.ts'
import { inboxPageSchema } from '../protocol/inbox.ts'
import {
  appendMessageSchema,
  messageListQuerySchema,
  messagePageSchema,
  messageSchema,
} from '../protocol/message.ts'
import { promptPreviewSchema } from '../protocol/prompt.ts'
import { rollbackSchema } from '../protocol/rollback.ts'
import type { SessionSchemas } from '../protocol/session-schemas.ts'
import { forkSessionSchema, variantListSchema } from '../protocol/session.ts'
import type { SessionStreams } from '../protocol/sessions.ts'
import { sessionUsageQuerySchema, sessionUsageSchema } from '../protocol/usage.ts'
import { toStoppedWork } from '../runs/run-record.ts'
import { appendMessage } from '../sessions/append.ts'
import { deleteSession, type SessionDeleter } from '../sessions/delete.ts'
import { forkSession } from '../sessions/fork.ts'
import { getSession } from '../sessions/get.ts'
import { listInbox } from '../sessions/inbox.ts'
import { listMessages, listSessions } from '../sessions/list.ts'
import { getResult } from '../sessions/task-result.ts'
import {
  finishRollback,
  listCheckpoints,
  prepareRollback,
  type PreparedRollback,
  type RollbackDeps,
} from '../sessions/rollback.ts'
import type { JoinedLifecycle } from '../sessions/lifecycle.ts'
import { startBackground, type BackgroundStarter } from '../sessions/start-background.ts'
import { stopSession, type Stoppers } from '../sessions/stop.ts'
import { updateSession } from '../sessions/update.ts'
import { getSessionUsage } from '../sessions/session-usage.ts'
import { listVariants } from '../sessions/variants.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { Clock } from '../shared/clock.ts'
import type { Store } from '../store/store.ts'
import type { Chats } from './chats.ts'
import { queueOperations } from './queue-operations.ts'
import { windowOperations } from './window-operations.ts'

/** What sessions are worked on with. */
export interface SessionServices {
  store: Store
  clock: Clock
  windows: Windows
  chats: Chats
  background: BackgroundStarter & SessionDeleter & Stoppers['background']
  lifecycle: JoinedLifecycle
  restorers?: RollbackDeps['restorers']
}

const sessions = operationsOf<SessionServices>('sessions')
const messages = operationsOf<SessionServices>('messages')
const chat = operationsOf<SessionServices>('chat')
const queue = operationsOf<SessionServices>('queue')
const runs = operationsOf<SessionServices>('runs')
const usage = operationsOf<SessionServices>('usage')

/** What one can do with sessions, but for what streams and for documents. */
export const sessionOperationsOf = (schemas: SessionSchemas) => ({
  /** With `kind: 'background'` and a prompt it starts a background run, and does not wait for it. */
  create: sessions.writeKeeping('POST', '/api/sessions', {
    summary: 'Create a session; of the kind "background", with a prompt, it starts a run in the background',
    input: schemas.createAny,
    requiresBody: true,
    output: schemas.session,
    status: 201,
    returns: 'The session; X-Parley-Run names the run of a background one',
    refuses: { 429: 'The limit of running or queued tasks is reached' },
    async run({ tx, deps, caller }, _, input) {
      if (input.kind !== 'background')
        return tx.transaction((inner) => deps.lifecycle.create(inner, caller, input))
      const { kind: _kind, ...task } = input
      return startBackground(tx, deps.background, caller, task)
    },
    answer: (kept) => ('runId' in kept ? kept.session : kept),
    reply: (kept) => ('runId' in kept ? { headers: { 'X-Parley-Run': kept.runId } } : {}),
  }),
  /** Newest first, one page; `nextCursor` leads to the next. */
  list: sessions.read('/api/sessions', {
    summary: 'List sessions, newest first',
    input: schemas.listQuery,
    output: schemas.page,
    returns: 'A page of sessions',
    sessionOf: ({ id, kind }) => (kind === 'tool' ? id : undefined),
    run: ({ tx, pages, caller }, _, filter) => listSessions(tx, pages, caller, filter),
  }),
  get: sessions.read('/api/sessions/{id}', {
    summary: 'Get a session',
    output: schemas.session,
    returns: 'The session',
    run: ({ tx, caller }, { id }) => getSession(tx, caller, id),
  }),
  update: sessions.write('PATCH', '/api/sessions/{id}', {
    summary: 'Rename or archive a session, or change its limits',
    input: schemas.patch,
    output: schemas.session,
    returns: 'The session as it is now',
    run: ({ tx, deps, caller }, { id }, patch) => updateSession(tx, deps, caller, id, patch),
  }),
  delete: sessions.remove('/api/sessions/{id}', {
    summary: 'Delete a session with everything in it; the audit stays, and so do its tasks, without a parent',
    run: ({ tx, deps, caller }, { id }) => deleteSession(tx, deps.background, caller, id),
  }),
  /** What became of a background session; refused with `conflict` while it is not over. */
  result: sessions.read('/api/sessions/{id}/result', {
    summary: 'Get the result of a background session; 409 until it has ended',
    output: taskResultSchema,
    returns: 'The result',
    refuses: { 409: 'Conflicts with what is stored', 422: 'The Idempotency-Key was used for something else' },
    run: ({ tx, caller }, { id }) => getResult(tx, caller, id),
  }),
  /** A new session with the log up to and including the message, or up to it; the original stays as it is. */
  fork: sessions.write('POST', '/api/sessions/{id}/fork', {
    summary: 'Copy a session up to a message, inclusive or not, as a session of its own or as a variant',
    input: forkSessionSchema,
    output: schemas.session,
    status: 201,
    returns: 'The new session',
    run: ({ tx, deps, caller }, { id }, input) => forkSession(tx, caller, id, input, deps.lifecycle),
  }),
  /** The session and those that are variants of it, oldest first. */
  variants: sessions.read('/api/sessions/{id}/variants', {
    summary: 'List a session and its variants',
    output: variantListSchema,
    returns: 'Oldest first',
    run: ({ tx, caller }, { id }) => listVariants(tx, caller, id),
  }),
  /** Where one can go back to, oldest first. */
  checkpoints: sessions.read('/api/sessions/{id}/checkpoints', {
    summary: 'List the checkpoints of a session, one before each turn, oldest first',
    output: schemas.checkpoints,
    returns: 'The checkpoints',
    run: ({ tx, caller }, { id }) => listCheckpoints(tx, caller, id),
  }),
  /** Undoes a turn and all after it; what runs is stopped first. */
  rollback: sessions.write('POST', '/api/sessions/{id}/rollback', {
    summary: 'Undo a turn and all after it: files are as they were, the log ends before it',
    input: rollbackSchema,
    output: schemas.rolledBack,
    returns: 'What was undone',
    // files are put back outside of the transaction
    before: ({ deps, caller }, { id }, input) =>
      prepareRollback({ ...deps, stoppers: deps }, caller, id, input),
    run: ({ tx, deps, caller, prepared }, { id }, input) =>
      tx.transaction((inner) =>
        finishRollback(inner, caller, id, {
          checkpointId: input.checkpointId,
          prepared: prepared as PreparedRollback | undefined,
          lifecycle: deps.lifecycle,
        }),
      ),
  }),

  /** The newest page by default, oldest first within it. */
  messages: messages.read('/api/sessions/{id}/messages', {
    summary: 'Read the log, newest page by default',
    input: messageListQuerySchema,
    output: messagePageSchema,
    returns: 'A page of messages, oldest first',
    run: ({ tx, pages, caller }, { id }, range) => listMessages(tx, pages, caller, id, range),
  }),
  /** Adds to the log without a turn. */
  append: messages.write('POST', '/api/sessions/{id}/messages', {
    summary: 'Add a message to the log without a turn',
    body: 'large',
    input: appendMessageSchema,
    output: messageSchema,
    status: 201,
    returns: 'The stored message',
    run: ({ tx, deps, caller }, { id }, input) =>
      appendMessage(
        tx,
        caller,
        id,
        input,
        (session, said, keyName) => deps.chats.types.of(session).append?.(session, said, keyName) ?? said,
      ),
  }),

  /** Stops what runs in the session, and its tasks; answers what it stopped. */
  stop: chat.write('POST', '/api/sessions/{id}/stop', {
    summary: 'Stop the runs of a session and its tasks; queued inputs stay',
    output: schemas.stopped,
    returns: 'What was stopped, in the session and below it',
    keepsKeys: false,
    run: async ({ deps, caller }, { id }) => toStoppedWork(await stopSession(deps.store, deps, caller, id)),
  }),
  /** What `stop` would stop below the session, however deep, and what it would leave alone since it is detached. */
  tasks: chat.readKeeping('/api/sessions/{id}/tasks', {
    summary: `List the unfinished work of a session: ${schemas.workBelow}`,
    output: z
      .object({ items: z.array(schemas.stopped.shape.tasks.element), nextCursor: z.null() })
      .meta({ id: 'OpenTasks' }),
    returns: 'All of it, however deep, detached or not; who started another comes before it',
    sessionOf: ({ taskOf }) => taskOf,
    async run({ tx, caller: { scope } }, { id }) {
      await tx.requireSession(scope, id)
      return { items: await tx.listTasksBelow(scope, id) }
    },
    answer: ({ items }) => ({ items: toStoppedWork({ tasks: items }).tasks, nextCursor: null }),
  }),
  queue: queueOperations,
  /** What was delivered and waits for the next turn, oldest first. */
  inbox: queue.read('/api/sessions/{id}/inbox', {
    summary: 'List what was delivered for the next turn: results of tasks, and messages for a running turn',
    output: inboxPageSchema,
    returns: 'Oldest first',
    run: ({ tx, caller }, { id }) => listInbox(tx, caller, id),
  }),

  /** What models used for the session so far, and how full its window is; with `tasks`, what those below it used too. */
  usage: usage.read('/api/sessions/{id}/usage', {
    summary: 'Get the usage of a session so far, and how full its window is',
    input: sessionUsageQuerySchema,
    output: sessionUsageSchema,
    returns: 'Totals of the session',
    run: ({ tx, deps, caller }, { id }, options) =>
      getSessionUsage(tx, deps.windows, caller, id, {
        ...options,
        sumOf: (session, own) => deps.chats.types.of(session).sumUsage?.(tx, id, own),
      }),
  }),
  /** The prompt as it would be sent with the next input. */
  prompt: runs.read('/api/sessions/{id}/prompt', {
    summary: 'Get the prompt as it would be sent with the next input',
    output: promptPreviewSchema,
    returns: 'Fragments, messages, tools',
    run: ({ deps, caller: { scope } }, { id }) => deps.chats.previewPrompt({ scope, sessionId: id }),
  }),
  ...windowOperations,
})

/** What one can do with sessions: the same calls in the process (`createParley`) and over HTTP (`createClient`). */
export type Sessions = Calls<ReturnType<typeof sessionOperationsOf>> & SessionStreams
