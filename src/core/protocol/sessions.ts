import type { Streamed } from '../shared/streamed.ts'
import type { ChatAnswer, ChatBody } from './chat.ts'
import type { RunEvent } from './chunk.ts'
import type { OutputSchema, TypedAnswer } from './output.ts'
import type { ImportProgress, ImportReport } from './import-report.ts'
import type { InScope } from './names.ts'
import type { BulkFormat, ExportFormat, Session, SessionKind } from './session.ts'

export interface SendOptions {
  /** Of calls with the same key only the first is taken; the others get its answer. */
  idempotencyKey?: string
}

export interface ObserveOptions extends InScope {
  /** This run of the session; default the active one, or the newest. */
  run?: string
  /** The last event that was seen of it. */
  after?: number
  signal?: AbortSignal
}

export interface ObservedEvents {
  runId: string
  events: RunEvent[]
}

export interface ImportFileOptions extends InScope {
  /** How far it is, after each conversation at most. */
  onProgress?: (progress: ImportProgress) => void
  signal?: AbortSignal
}

/** Which sessions are exported: those with these ids, or all that fit the rest. */
export interface ExportSelection {
  /** Default `jsonl`. */
  format?: BulkFormat
  ids?: readonly string[]
  kind?: SessionKind
  thread?: string
  /** Default `all`. */
  archived?: 'true' | 'false' | 'all'
  /** Words of the title or of a message. */
  q?: string
}

/** What one can do with sessions beside their operations: what streams, and documents. */
export interface SessionStreams {
  /** Says something. Iterate to watch the answer come, await to have it whole; a turn continues without its watchers. */
  chat(id: string, body: ChatBody | string): Streamed<RunEvent, ChatAnswer>
  /** The same for an answer of a given form: awaited, it is a value of that type, or `turn_failed`. */
  chat<Value>(
    id: string,
    body: ChatBody | string,
    options: { output: OutputSchema<Value> },
  ): Streamed<RunEvent, TypedAnswer<Value>>
  /** Says something, and does not wait for the answer: resolves when it is stored. `observe` shows its events. */
  send(id: string, body: ChatBody | string, options?: SendOptions): Promise<{ runId: string }>
  /**
   * The events of the active run, or of the newest: everything so far, then live, until that run has ended. Nothing when
   * there was never a run.
   */
  observe(id: string, options?: ObserveOptions): AsyncIterable<ObservedEvents>
  /** The whole session as text; `import` takes it back. */
  export(id: string, options?: InScope & { format?: ExportFormat }): Promise<string>
  /** All sessions of the scope, or a selection, as the pieces of one text; `importFile` takes it back. */
  exportAll(options?: InScope & ExportSelection): AsyncIterable<string>
  /** Takes an exported text of any format, or a log of another tool that holds one conversation. */
  import(text: string, options?: InScope): Promise<Session>
  /**
   * Takes all conversations of a file: a whole export of another program, also as the archive that it was downloaded as, or
   * an export of Parley. Importing the same again stores nothing twice.
   */
  importFile(file: Blob, options?: ImportFileOptions): Promise<ImportReport>
}
