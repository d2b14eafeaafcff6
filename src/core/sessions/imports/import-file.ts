import { createHash } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { conflict, ParleyError, quote } from '../../protocol/error.ts'
import {
  type ImportOutcome,
  type ImportProgress,
  type ImportReport,
  maxReported,
} from '../../protocol/import-report.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { Message } from '../../protocol/message.ts'
import type { Session } from '../../protocol/session.ts'
import type { Store, StoreOperations } from '../../store/store.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import { auditSession, recordSessionEvent, type Caller } from '../caller.ts'
import { requireHead } from '../formats/document.ts'
import { toTitle } from '../formats/foreign/fields.ts'
import { importFrom } from '../import.ts'
import type { MemoRules } from '../window/windows.ts'
import { toNote } from './import-notes.ts'
import { readFileInThread, type ReadableSession } from './file-reader.ts'
import type { ReadOptions } from './read-file.ts'

export interface ImportFileDeps {
  store: Store
  windows: MemoRules
  options: ReadOptions
}

interface Stored {
  session: Session
  outcome: ImportOutcome
  /** Stored by this import. */
  messages: number
  /** The file has messages that are not here, and they are not what follows those that are. */
  isDivergent?: boolean
}

/**
 * Stores all that a file holds. Each session is one transaction, and what makes it the same one is part of its id, so an
 * import that ended half-way is repeated without making anything twice. Refuses a file as a whole before anything is
 * stored; of one that is taken, a conversation that fails is reported and the others are stored.
 */
export async function importFile(
  { store, windows, options }: ImportFileDeps,
  caller: Caller,
  fd: number,
  { onProgress, signal }: { onProgress?: (progress: ImportProgress) => void; signal?: AbortSignal } = {},
): Promise<ImportReport> {
  const report: ImportReport = {
    formats: [],
    conversations: 0,
    sessions: { added: 0, extended: 0, unchanged: 0 },
    messages: 0,
    failed: 0,
    items: [],
    failures: [],
    notes: [],
  }
  let done = 0
  let divergent = 0
  const tell = () => {
    const { conversations, sessions, messages, failed } = report
    onProgress?.({ conversations, done, sessions: { ...sessions }, messages, failed })
  }
  const fail = (place: string, title: string, reason: string) => {
    report.failed++
    if (report.failures.length < maxReported) report.failures.push({ place, title, reason })
  }
  for await (const step of readFileInThread(fd, options)) {
    if (signal?.aborted)
      throw new ParleyError(
        'shutting_down',
        'The import was ended before its end. Import the file again: what is stored is not stored twice.',
      )
    if ('overview' in step) {
      Object.assign(report, step.overview)
      tell()
    } else if ('session' in step) {
      const { place, session } = step.session
      const stored = await storeOne(store, windows, caller, step.session).catch((error: unknown) => {
        if (!(error instanceof ParleyError) || error.status >= 500) throw error
        fail(place, toTitle(session.title, 80), error.message)
      })
      if (stored) count(report, stored)
      if (stored?.isDivergent) divergent++
    } else if ('failure' in step) fail(step.failure.place, step.failure.title, step.failure.reason)
    else if ('done' in step) {
      done = step.done
      tell()
    } else report.notes = step.end.notes
  }
  if (divergent > 0) report.notes.push(toNote('continued_here', divergent))
  return report
}

function count(report: ImportReport, { session, outcome, messages }: Stored): void {
  report.sessions[outcome]++
  report.messages += messages
  if (report.items.length === maxReported) return
  const { id: sessionId, title, messageCount, family } = session
  report.items.push({ sessionId, title, messageCount, outcome, ...(family !== undefined && { family }) })
}

function storeOne(store: Store, windows: MemoRules, caller: Caller, found: ReadableSession): Promise<Stored> {
  const checked = withRules(found, store.facets.documents)
  return found.branch ? storeBranch(store, caller, checked) : storeDocument(store, windows, caller, checked)
}

/** A thread has no extensions: the fields of the session are checked here. */
function withRules(found: ReadableSession, rules: DocumentRules): ReadableSession {
  const { session } = requireHead({ format: 'parley.session', version: 1, session: found.session }, rules)
  return { ...found, session }
}

/** The same conversation is the same id in the same scope, and another one in another. */
function idOf({ scope }: Caller, key: readonly string[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([scope, ...key]))
    .digest('hex')
  return `ses_${hash.slice(0, 32)}`
}

/** A document of Parley keeps its id where it can; that it is here already is no failure. */
async function storeDocument(
  store: Store,
  windows: MemoRules,
  caller: Caller,
  found: ReadableSession,
): Promise<Stored> {
  const { scope } = caller
  const { session, messageCount } = found
  const ownId = session.id
  const madeId = idOf(caller, found.key)
  for (const id of ownId === undefined ? [madeId] : [ownId, madeId]) {
    const existing = await store.getSession(scope, id)
    if (existing && (existing.messageCount > 0 || messageCount === 0 || id === madeId))
      return { session: existing, outcome: 'unchanged', messages: 0 }
  }
  const keepsId = ownId !== undefined && caller.seesAllScopes && !(await store.isSessionIdTaken(ownId))
  const isEmptyHere = ownId !== undefined && (await store.getSession(scope, ownId)) !== undefined
  const stored = await importFrom(
    store,
    windows,
    // the id is made of the scope, so it tells nobody what others have
    keepsId || isEmptyHere ? caller : { ...caller, seesAllScopes: true },
    { ...found, session: { ...session, id: keepsId || isEmptyHere ? ownId : madeId } },
  )
  return { session: stored, outcome: 'added', messages: messageCount }
}

/** One branch of a conversation of another program, or what the file has of it beyond what is here. */
function storeBranch(store: Store, caller: Caller, found: ReadableSession): Promise<Stored> {
  const { scope } = caller
  const id = idOf(caller, found.key)
  const [source, sourceId] = found.key
  const firstId = idOf(caller, [source, sourceId, ''])
  const { hasOthers, from } = found.branch!
  return store.transaction(async (tx) => {
    await tx.ensureScope(scope)
    if (await tx.lockSession(scope, id)) return extend(tx, caller, await tx.requireSession(scope, id), found)
    if (await tx.isSessionIdTaken(id))
      throw conflict(
        `The session ${quote(id)} was deleted and is still being removed; import it again later.`,
      )
    if (id !== firstId) await joinFirst(tx, caller, firstId)
    const { session: record, messageCount } = found
    await tx.createImported({
      ...record,
      id,
      scope,
      ...(hasOthers && { family: firstId }),
      ...(from && {
        forkedFrom: {
          sessionId: idOf(caller, [source, sourceId, from.key]),
          messageId: from.messageId,
          ...(from.isBefore && { before: true as const }),
        },
      }),
    })
    await append(tx, scope, id, found, 0)
    if (record.updatedAt !== undefined) await tx.setUpdatedAt(id, record.updatedAt)
    await auditSession(tx, caller, 'import', id, { messages: messageCount, source })
    const session = await tx.requireSession(scope, id)
    const { kind, title, family } = session
    await recordSessionEvent(tx, caller, 'session-created', id, { kind, title, ...(family && { family }) })
    return { session, outcome: 'added', messages: messageCount }
  })
}

/** The conversation had no branches when it was imported first. */
async function joinFirst(tx: StoreOperations, { scope }: Caller, id: string): Promise<void> {
  const first = await tx.getSession(scope, id)
  if (first && first.family === undefined) await tx.joinFamily(scope, id, id)
}

/**
 * Adds what the conversation has got since it was imported, unless it was continued here: then both have gone their own
 * ways, and what is here stays.
 */
async function extend(
  tx: StoreOperations,
  caller: Caller,
  existing: Session,
  found: ReadableSession,
): Promise<Stored> {
  const { scope } = caller
  const { id, messageCount: here } = existing
  const unchanged: Stored = { session: existing, outcome: 'unchanged', messages: 0 }
  const { messageCount: there } = found
  if (here === 0 || there === 0) return unchanged
  const [last] = await tx.listMessages(scope, id, { limit: 1 })
  const [same] = await found.read(Math.min(here, there) - 1)
  if (here > there || last?.id !== same?.id) {
    const isHere = here >= there && (await tx.getMessage(scope, id, same?.id ?? '')) !== undefined
    return { ...unchanged, isDivergent: !isHere }
  }
  // the file may have been made in the middle of an answer
  const parts = JSON.parse(same!.parts) as Message['parts']
  const isSame = isDeepStrictEqual(last!.parts, parts)
  if (isSame && here === there) return unchanged
  if (!isSame) await tx.setMessageParts(id, last!.id, parts)
  await append(tx, scope, id, found, here)
  const added = there - here
  if (found.session.updatedAt !== undefined) await tx.setUpdatedAt(id, found.session.updatedAt)
  await auditSession(tx, caller, 'import', id, { messages: added, source: found.key[0] })
  const session = await tx.requireSession(scope, id)
  await recordSessionEvent(tx, caller, 'session-updated', id, { fields: ['messages'] })
  return { session, outcome: 'extended', messages: added }
}

/** Others have their turn after every piece. */
async function append(
  tx: StoreOperations,
  scope: string,
  id: string,
  { messageCount, read }: ReadableSession,
  from: number,
): Promise<void> {
  for (let stored = from; stored < messageCount;) {
    const piece: WrittenMessage[] = await read(stored)
    if (piece.length === 0) throw new Error(`The file ended after ${stored} of ${messageCount} messages.`)
    await tx.appendWritten(scope, id, piece)
    stored += piece.length
    if (stored < messageCount) await others()
  }
}
