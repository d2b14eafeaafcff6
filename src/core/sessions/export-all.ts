import { setImmediate as others } from 'node:timers/promises'
import { invalidRequest, notFound, ParleyError } from '../protocol/error.ts'
import type { ExportSelection } from '../protocol/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { exportText } from './export-text.ts'
import { readSession } from './export.ts'
import { requireFormat } from './formats/format.ts'
import type { MemoRules } from './window/windows.ts'

// of which lists are read; nothing but their ids is kept
const sessionsPerPage = 200

/** Whether a session is closed to whoever asks; such a session is left out. */
export type IsClosed = (sessionId: string) => Promise<boolean>

export interface ExportAllDeps {
  store: Store
  windows: MemoRules
  isClosed?: IsClosed
}

/**
 * Many sessions as one text that `importFile` takes back: as `jsonl`, each a line that announces how many lines of messages
 * follow; as `json`, a list of documents. Which sessions those are is decided when it begins; one that is deleted before
 * its turn is left out. At no time more than a page of one session is in memory.
 */
export async function* exportAll(
  { store, windows, isClosed = async () => false }: ExportAllDeps,
  caller: Caller,
  selection: ExportSelection,
): AsyncGenerator<string> {
  const { format: name = 'jsonl' } = selection
  const format = requireFormat(name)
  const ids = await chooseSessions(store, caller, selection)
  const isList = name === 'json'
  let written = 0
  if (isList) yield '['
  for (const id of ids) {
    if (await isClosed(id)) continue
    const reading = await readSession(store, windows, caller, id).catch(leaveOutDeleted)
    if (!reading) continue
    if (isList) yield written === 0 ? '\n' : ',\n'
    yield* exportText(reading, format)
    written++
    await others()
  }
  if (isList) yield ']\n'
}

/** Those that are named, in that order; otherwise all that fit, newest first. */
async function chooseSessions(
  store: Store,
  { scope }: Caller,
  { ids, kind, thread, q, archived = 'all' }: ExportSelection,
): Promise<string[]> {
  if (ids !== undefined) {
    if (kind !== undefined || thread !== undefined || q !== undefined)
      throw invalidRequest('Give either "ids" or what sessions have to fit, not both.')
    for (const id of ids) if (!(await store.getSession(scope, id))) throw notFound('session', id)
    return [...new Set(ids)]
  }
  const found: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.listSessions(scope, {
      kind,
      thread,
      text: q,
      archived: archived === 'all' ? 'all' : archived === 'true',
      newestOfFamily: false,
      limit: sessionsPerPage,
      cursor,
    })
    found.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

function leaveOutDeleted(error: unknown): undefined {
  if (error instanceof ParleyError && error.code === 'not_found') return undefined
  throw error
}
