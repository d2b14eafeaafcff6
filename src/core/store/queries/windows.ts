import { conflict } from '../../protocol/error.ts'
import { toTimestamp } from '../../protocol/names.ts'
import type { Memo, MemoVersion, Resize } from '../../protocol/window.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { SessionRow } from '../tables/sessions.ts'
import type { MemoVersionRow, ResizeRow } from '../tables/windows.ts'

export interface WindowState {
  /** The first message of the window. */
  startSeq: number
  lastSeq: number
  /** How long the log was at the last resize. */
  resizedSeq: number
  /** Why the window is no longer resized by itself. */
  stopped?: string
  memoVersion: number
  /** Advances when messages change or are taken back; what is only added leaves it as it is. */
  logVersion: number
}

export type NewMemoVersion = Omit<MemoVersion, 'version' | 'createdAt'>
export type NewResize = Omit<Resize, 'number' | 'createdAt'>

export interface WindowQueries {
  getWindowState(sessionId: string): Promise<WindowState | undefined>
  /** Sets where the window begins and that it was resized now; false when somebody else moved it meanwhile. */
  moveWindow(sessionId: string, from: WindowState, startSeq: number): Promise<boolean>
  /** Null lets it be resized by itself again. */
  stopResizes(sessionId: string, reason: string | null): Promise<void>
  /** The newest version when none is named. */
  getMemo(sessionId: string, version?: number): Promise<MemoVersion | undefined>
  /** Newest first. */
  listMemoVersions(sessionId: string, page: { before?: number; limit: number }): Promise<MemoVersion[]>
  /** Throws `conflict` when `base` is not the newest version any more. */
  addMemoVersion(sessionId: string, base: number, version: NewMemoVersion): Promise<MemoVersion>
  /** The newest version that has taken in no message after this one. */
  getMemoThrough(sessionId: string, seq: number): Promise<MemoVersion | undefined>
  /** Keeps the newest few hundred. */
  recordResize(sessionId: string, resize: NewResize): Promise<Resize>
  /** Newest first. */
  listResizes(sessionId: string, limit: number): Promise<Resize[]>
}

// a handler that fails at every turn must not make the log of its failures grow for ever
const keptResizes = 500

export function windowQueries(context: QueryContext): WindowQueries {
  const { clock, backend } = context
  return {
    async getWindowState(sessionId) {
      const [row] = await selectState(context, [sessionId])
      return row && toWindowState(row)
    },

    async moveWindow(sessionId, from, startSeq) {
      const rows = await updateWindow(context, [
        startSeq,
        from.lastSeq,
        sessionId,
        from.startSeq,
        from.resizedSeq,
      ])
      return rows.length > 0
    },

    async stopResizes(sessionId, reason) {
      await updateStopped(context, [reason, sessionId])
    },

    async getMemo(sessionId, version) {
      const [row] =
        version === undefined
          ? await selectNewestMemo(context, [sessionId, Number.MAX_SAFE_INTEGER, 1])
          : await selectMemo(context, [sessionId, version])
      return row && toMemoVersion(row)
    },

    async listMemoVersions(sessionId, { before = Number.MAX_SAFE_INTEGER, limit }) {
      return (await selectNewestMemo(context, [sessionId, before, limit])).map(toMemoVersion)
    },

    async getMemoThrough(sessionId, seq) {
      const [row] = await selectMemoThrough(context, [sessionId, seq])
      return row && toMemoVersion(row)
    },

    addMemoVersion: (sessionId, base, given) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const version = base + 1
        const advanced = await updateMemoVersion(tx, [version, sessionId, base])
        if (advanced.length === 0)
          throw conflict('The memo was changed meanwhile; read it again and repeat.', { baseVersion: base })
        await insertMemo(tx, [
          sessionId,
          version,
          JSON.stringify(given.memo),
          JSON.stringify(given.pinned),
          given.throughSeq,
          given.author,
          given.model ?? null,
          given.fromSeq ?? null,
          given.toSeq ?? null,
          given.sizeBefore,
          given.sizeAfter,
          now,
        ])
        return { ...given, version, createdAt: toTimestamp(now) }
      }),

    recordResize: (sessionId, resize) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const [last] = await selectResizes(tx, [sessionId, 1])
        const number = (last?.number ?? 0) + 1
        try {
          await insertResize(tx, [
            sessionId,
            number,
            resize.type,
            resize.reason,
            resize.severity,
            resize.outcome,
            resize.message ?? null,
            resize.before.messages,
            resize.before.chars,
            resize.after.messages,
            resize.after.chars,
            resize.startSeq,
            resize.memoVersion ?? null,
            resize.usage === undefined ? null : JSON.stringify(resize.usage),
            now,
          ])
        } catch (error) {
          if (backend.isUniqueViolation(error))
            throw conflict('The window of this session was resized meanwhile.')
          throw error
        }
        await deleteResizes(tx, [sessionId, number - keptResizes])
        return { ...resize, number, createdAt: toTimestamp(now) }
      }),

    async listResizes(sessionId, limit) {
      return (await selectResizes(context, [sessionId, limit])).map(toResize)
    },
  }
}

export type WindowStateRow = Pick<
  SessionRow,
  'window_start' | 'last_seq' | 'resized_seq' | 'window_stopped' | 'memo_version' | 'log_version'
>
export const toWindowState = (row: WindowStateRow): WindowState => ({
  startSeq: row.window_start,
  lastSeq: row.last_seq,
  resizedSeq: row.resized_seq,
  ...(row.window_stopped !== null && { stopped: row.window_stopped }),
  memoVersion: row.memo_version,
  logVersion: row.log_version,
})

const selectState = statement<WindowStateRow>(`
  select window_start, last_seq, resized_seq, window_stopped, memo_version, log_version from sessions where id = ?
`)
const updateWindow = statement<{ id: string }>(`
  update sessions set window_start = ?, resized_seq = ? where id = ? and window_start = ? and resized_seq = ?
  returning id
`)
const updateStopped = statement(`update sessions set window_stopped = ? where id = ?`)
const updateMemoVersion = statement<{ id: string }>(`
  update sessions set memo_version = ? where id = ? and memo_version = ? returning id
`)
const selectMemo = statement<MemoVersionRow>(
  `select * from memo_versions where session_id = ? and version = ?`,
)
const selectNewestMemo = statement<MemoVersionRow>(`
  select * from memo_versions where session_id = ? and version < ? order by version desc limit ?
`)
const selectMemoThrough = statement<MemoVersionRow>(`
  select * from memo_versions where session_id = ? and through_seq <= ? order by version desc limit 1
`)
const insertMemo = statement(`
  insert into memo_versions (session_id, version, memo, pinned, through_seq, author, model, from_seq, to_seq,
    size_before, size_after, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const selectResizes = statement<ResizeRow>(`
  select * from resizes where session_id = ? order by number desc limit ?
`)
const insertResize = statement(`
  insert into resizes (session_id, number, type, reason, severity, outcome, message, before_messages, before_chars,
    after_messages, after_chars, start_seq, memo_version, usage, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const deleteResizes = statement(`delete from resizes where session_id = ? and number <= ?`)

function toMemoVersion(row: MemoVersionRow): MemoVersion {
  return {
    version: row.version,
    memo: JSON.parse(row.memo) as Memo,
    pinned: JSON.parse(row.pinned) as string[],
    throughSeq: row.through_seq,
    author: row.author,
    ...(row.model !== null && { model: row.model }),
    ...(row.from_seq !== null && { fromSeq: row.from_seq }),
    ...(row.to_seq !== null && { toSeq: row.to_seq }),
    sizeBefore: row.size_before,
    sizeAfter: row.size_after,
    createdAt: toTimestamp(row.created_at),
  }
}

function toResize(row: ResizeRow): Resize {
  return {
    number: row.number,
    type: row.type,
    reason: row.reason,
    severity: row.severity,
    outcome: row.outcome,
    ...(row.message !== null && { message: row.message }),
    before: { messages: row.before_messages, chars: row.before_chars },
    after: { messages: row.after_messages, chars: row.after_chars },
    startSeq: row.start_seq,
    ...(row.memo_version !== null && { memoVersion: row.memo_version }),
    ...(row.usage !== null && { usage: JSON.parse(row.usage) as unknown }),
    createdAt: toTimestamp(row.created_at),
  }
}
