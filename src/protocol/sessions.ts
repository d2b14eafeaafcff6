import type { Streamed } from '../shared/streamed.ts'
import type { CreateBackground, StoppedWork, TaskResult } from './background.ts'
import type { ChatAnswer, ChatBody } from './chat.ts'
import type { RunEvent } from './chunk.ts'
import type { AppendMessage, Message, MessagePage } from './message.ts'
import type { InboxPage } from './inbox.ts'
import type { InScope } from './names.ts'
import type { CheckpointList, Rollback, RolledBack } from './rollback.ts'
import type { SessionQueue } from './queue.ts'
import type { PromptPreview } from './prompt.ts'
import type {
  CreateSession,
  ExportFormat,
  ForkSession,
  Session,
  SessionListQuery,
  SessionPage,
  UpdateSession,
  VariantList,
} from './session.ts'
import type { SessionUsage } from './usage.ts'
import type {
  MemoVersionPage,
  MemoView,
  PutMemo,
  PutWindow,
  Resize,
  ResizeRequest,
  UndoMemo,
  WindowView,
} from './window.ts'

export interface SendOptions {
  /** Of calls with the same key only the first is taken; the others get its answer. */
  idempotencyKey?: string
}

export interface ObserveOptions extends InScope {
  /** This run of the session; default the one that goes on, or the newest. */
  run?: string
  /** The last event that was seen of it. */
  after?: number
  signal?: AbortSignal
}

export interface ObservedEvents {
  runId: string
  events: RunEvent[]
}

/** What one can do with sessions: the same calls in the process (`createParley`) and over HTTP (`createClient`). */
export interface Sessions {
  /** With `kind: 'background'` and a prompt it starts a background run, and does not wait for it. */
  create(input?: CreateSession | CreateBackground): Promise<Session>
  get(id: string, options?: InScope): Promise<Session>
  /** Newest first, one page; `nextCursor` leads to the next. */
  list(query?: SessionListQuery): Promise<SessionPage>
  update(id: string, patch: UpdateSession): Promise<Session>
  delete(id: string, options?: InScope): Promise<void>
  /** A new session with the log up to and including the message, or up to it; the original stays as it is. */
  fork(id: string, input: ForkSession): Promise<Session>
  /** The session and those that are variants of it, oldest first. */
  variants(id: string, options?: InScope): Promise<VariantList>
  /** Where one can go back to, oldest first. */
  checkpoints(id: string, options?: InScope): Promise<CheckpointList>
  /** Undoes a turn and all after it; what runs is stopped first. */
  rollback(id: string, input: Rollback): Promise<RolledBack>
  /** The newest page by default, oldest first within it. */
  messages(
    id: string,
    query?: InScope & { before?: number; after?: number; limit?: number },
  ): Promise<MessagePage>
  /** Adds to the log without a turn. */
  append(id: string, message: AppendMessage): Promise<Message>
  /** Says something. Iterate to watch the answer come, await to have it whole; a turn goes on without its watchers. */
  chat(id: string, body: ChatBody | string): Streamed<RunEvent, ChatAnswer>
  /** Says something, and does not wait for the answer: resolves when it is stored. `observe` shows what comes of it. */
  send(id: string, body: ChatBody | string, options?: SendOptions): Promise<{ runId: string }>
  /**
   * What goes on in the session, or went on last: everything so far, then live, until that run is over. Nothing when
   * there was never a run.
   */
  observe(id: string, options?: ObserveOptions): AsyncIterable<ObservedEvents>
  /** What became of a background session; refused with `conflict` while it is not over. */
  result(id: string, options?: InScope): Promise<TaskResult>
  /** Stops what runs in the session, and its tasks; answers what it stopped. */
  stop(id: string, options?: InScope): Promise<StoppedWork>
  queue: SessionQueue
  /** What was delivered and waits for the next turn, oldest first. */
  inbox(id: string, options?: InScope): Promise<InboxPage>
  /** What models used for the session so far, and how full its window is; with `tasks`, what those below it used too. */
  usage(id: string, options?: InScope & { tasks?: boolean }): Promise<SessionUsage>
  /** The prompt as it would be sent with the next input. */
  prompt(id: string, options?: InScope): Promise<PromptPreview>
  /** What of the log the model sees, and what decides about it. */
  window(id: string, options?: InScope): Promise<WindowView>
  /** Replaces what is set on the session; what is left out falls back to the configuration. */
  setWindow(id: string, settings: PutWindow): Promise<WindowView>
  /** Cuts the window back now; with a memo, that takes in everything first. */
  resize(id: string, request?: ResizeRequest): Promise<Resize>
  /** The newest version of what is kept of messages that left the window, or the one named. */
  memo(id: string, options?: InScope & { version?: number }): Promise<MemoView>
  /** Newest first. */
  memoVersions(id: string, query?: InScope & { limit?: number; cursor?: string }): Promise<MemoVersionPage>
  setMemo(id: string, input: PutMemo): Promise<MemoView>
  /** Goes back to the version before, or to the one named. */
  undoMemo(id: string, input?: UndoMemo): Promise<MemoView>
  /** The whole session as text; `import` takes it back. */
  export(id: string, options?: InScope & { format?: ExportFormat }): Promise<string>
  /** Takes an exported text of any format, or a log of another tool that holds one conversation. */
  import(text: string, options?: InScope): Promise<Session>
}
