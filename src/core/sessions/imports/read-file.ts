import { createHash } from 'node:crypto'
import { text as wholeText } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import { countValues, requireCleanJson } from '../../protocol/json.ts'
import type { NewMessage } from '../../protocol/message.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import { documentDepth, looseRules, requireDocument, requireMessage } from '../formats/document.ts'
import { type Fields, isFields, toInstant, toTitle } from '../formats/foreign/fields.ts'
import { fromUiMessages } from '../formats/foreign/ui-messages.ts'
import { fromHeader } from '../formats/header.ts'
import { toPortableMessage } from '../formats/portable.ts'
import { readDocuments } from '../formats/read-documents.ts'
import { toWritten } from '../formats/read-import.ts'
import { fillAssets, type Assets } from './assets.ts'
import type { Conversation } from './conversation.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'
import { createNotes, type ImportNotes } from './import-notes.ts'
import { openFile, type SourceFile } from './open-file.ts'
import { type FileFormat, nameOf, parseOrUndefined, recogniseFile, unknownFile } from './recognise.ts'
import type { Source } from './sources/source.ts'
import { splitJson, type RawValue } from './split-json.ts'
import { toBranches, type Branch } from './to-branches.ts'

/** What a file holds, after all of it was looked at once. */
export interface FileOverview {
  formats: string[]
  /** Values to read, for progress: a log counts as one. */
  conversations: number
}

/** A session to be stored. */
export interface FoundSession {
  place: string
  /** What makes it the same one at the next import: its source, its id there, its branch. */
  key: readonly [source: string, id: string, branch: string]
  /** Undefined for a document of Parley, which may keep its id. */
  branch?: { hasOthers: boolean; from?: { key: string; messageId: string; isBefore: boolean } }
  session: SessionDocument['session']
  messages: readonly WrittenMessage[]
}

/** A conversation that could not be read; the others are. */
export interface FoundFailure {
  place: string
  title: string
  reason: string
}

export type Found =
  | { overview: FileOverview }
  | { session: FoundSession }
  | { failure: FoundFailure }
  /** A conversation is complete, with all of its branches. */
  | { done: number }

export interface ReadOptions {
  limits: ImportLimits
  /** Values of one message: `limits.jsonValues`. */
  maxValues: number
}

// as long as those of a session may be without a setting that says otherwise
const maxInstructions = 20_000

/**
 * Reads a file twice: first its structure, so that one that is unknown, cut off or too large changes nothing, then one
 * conversation after another. Never holds more than one of them.
 */
export async function* readFile(
  fd: number,
  options: ReadOptions,
  notes = createNotes(),
): AsyncGenerator<Found> {
  const { limits } = options
  const { files, isArchive, assets } = await openFile(fd, limits)
  const chosen = await chooseFiles(files, isArchive, limits, notes)
  let conversations = 0
  for (const { file, format } of chosen) conversations += await countIn(file, format, limits, notes)
  yield {
    overview: { formats: [...new Set(chosen.map(({ format }) => nameOf(format)))], conversations },
  }
  let done = 0
  for (const { file, format } of chosen) {
    const place = (line: number) => (file.name === '' ? `line ${line}` : `${file.name}, line ${line}`)
    for await (const found of readOne(file, format, { ...options, assets, notes, place })) {
      if (found !== 'next') yield found
      else yield { done: ++done }
    }
  }
}

interface Chosen {
  file: SourceFile
  format: FileFormat
}

const conversationFiles = /(^|\/)conversations([-_]\d+)?\.json$/i
const otherFiles = /\.(json|jsonl|ndjson|yaml|yml|md|html|csv|txt)$/i
const readableFiles = /\.(json|jsonl|ndjson|yaml|yml|md)$/i

async function chooseFiles(
  files: readonly SourceFile[],
  isArchive: boolean,
  limits: ImportLimits,
  notes: ImportNotes,
): Promise<Chosen[]> {
  if (!isArchive) {
    const format = await recogniseFile(files[0]!, limits)
    if (format.kind === 'unknown') throw unknownFile(`The file is not a known export: ${format.seen}.`)
    return [{ file: files[0]!, format }]
  }
  const named = files.filter(({ name }) => conversationFiles.test(name))
  const candidates = named.length > 0 ? named : files.filter(({ name }) => readableFiles.test(name))
  const chosen: Chosen[] = []
  for (const file of candidates) {
    const format = await recogniseFile(file, limits)
    if (format.kind !== 'unknown') chosen.push({ file, format })
  }
  // those that conversations refer to are images and attachments
  const others = files.filter(({ name }) => otherFiles.test(name) && !/(^|\/)file[-_]/.test(name))
  notes.add('other_files', others.length - chosen.length)
  if (chosen.length > 0) return chosen
  const names = files.slice(0, 8).map(({ name }) => quote(name))
  throw unknownFile(
    files.length === 0
      ? 'The archive is empty.'
      : `No file of the archive is a known export; it holds ${names.join(', ')}${files.length > 8 ? ', …' : ''}.`,
  )
}

/** Looks at the whole file: what is cut off or too large is refused here. */
async function countIn(
  file: SourceFile,
  format: FileFormat,
  limits: ImportLimits,
  notes: ImportNotes,
): Promise<number> {
  if (format.kind === 'text') return 1
  const isLog = format.kind === 'source' && format.source.kind === 'log'
  let values = 0
  let headers = 0
  let bytes = 0
  for await (const value of splitJson(file.open(), limits, () => isLog && notes.add('broken_lines'))) {
    values++
    bytes += value.bytes.length
    if (isLog) requireWithin(bytes, limits)
    if (isHeader(value)) headers++
  }
  if (format.kind === 'lines') return headers
  return isLog ? 1 : values
}

const isHeader = ({ bytes }: RawValue) => bytes.subarray(0, 17).toString('latin1') === '{"type":"session"'

function requireWithin(bytes: number, { conversationBytes }: ImportLimits): void {
  if (bytes > conversationBytes)
    throw new ParleyError(
      'payload_too_large',
      `The conversation is larger than ${conversationBytes} bytes (imports.conversationBytes).`,
    )
}

interface Reading extends ReadOptions {
  assets: Assets
  notes: ImportNotes
  place(line: number): string
}

type Step = { session: FoundSession } | { failure: FoundFailure } | 'next'

async function* readOne(file: SourceFile, format: FileFormat, reading: Reading): AsyncGenerator<Step> {
  switch (format.kind) {
    case 'source':
      yield* format.source.kind === 'list'
        ? readList(file, format.source.name, reading, async function* (value, raw) {
            const found = format.source as Extract<Source, { kind: 'list' }>
            if (!found.recognises(value)) throw invalidRequest(`It is not a conversation of ${found.label}.`)
            for (const conversation of [found.read(value, reading.notes)].flat())
              yield* toSessions(conversation, found.name, hashOf(raw), raw.line, reading)
          })
        : readLog(file, format.source, reading)
      return
    case 'documents':
      yield* readList(file, 'parley', reading, async function* (value, raw) {
        yield toFound(requireDocument(value, looseRules), 'parley', hashOf(raw), raw.line, reading)
      })
      return
    case 'messages':
      yield* readList(file, 'messages', reading, async function* (value, raw) {
        yield toFound(fromUiMessages(value), 'messages', hashOf(raw), raw.line, reading)
      })
      return
    case 'lines':
      yield* readLines(file, reading)
      return
    case 'text':
      yield* readText(file, reading)
  }
}

async function* readList(
  file: SourceFile,
  source: string,
  reading: Reading,
  read: (value: Fields, raw: RawValue) => AsyncIterable<FoundSession>,
): AsyncGenerator<Step> {
  for await (const raw of splitJson(file.open(), reading.limits)) {
    let title = ''
    try {
      const value = parseValue(raw)
      title = toTitle(value.title ?? value.name, 80)
      for await (const session of read(value, raw)) yield { session }
    } catch (error) {
      yield toFailure(error, reading.place(raw.line), title, source)
    }
    yield 'next'
  }
}

function parseValue({ bytes }: RawValue): Fields {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\p{Cc}/gu, ' ') : String(error)
    throw invalidRequest(`It is not valid JSON: ${reason.slice(0, 200)}.`)
  }
  if (!isFields(value)) throw invalidRequest(`It is not an object: ${quote(value)}.`)
  return value
}

/** What a file says can be refused; anything else that is thrown is ours. */
function toFailure(error: unknown, place: string, title: string, source: string): Step {
  if (!(error instanceof ParleyError)) throw error
  return { failure: { place, title, reason: `${error.message} (read as ${source})` } }
}

async function* readLog(
  file: SourceFile,
  source: Extract<Source, { kind: 'log' }>,
  reading: Reading,
): AsyncGenerator<Step> {
  const rows: { line: number; value: Fields }[] = []
  let id: string | undefined
  for await (const raw of splitJson(file.open(), reading.limits)) {
    // of its first line: a log that has grown is the same one
    id ??= hashOf(raw)
    const value = parseOrUndefined(raw.bytes)
    if (isFields(value)) rows.push({ line: raw.line, value })
    else reading.notes.add('broken_lines')
  }
  try {
    for (const conversation of [source.read(rows, reading.notes)].flat())
      for await (const session of toSessions(conversation, source.name, id ?? '', 1, reading))
        yield { session }
  } catch (error) {
    yield toFailure(error, reading.place(1), '', source.name)
  }
  yield 'next'
}

/** Sessions of Parley one after another: each a line that announces how many messages follow. */
async function* readLines(file: SourceFile, reading: Reading): AsyncGenerator<Step> {
  let header: { line: number; value: Fields; hash: string } | undefined
  let messages: unknown[] = []
  let bytes = 0
  const finish = function* (): Generator<Step> {
    if (!header) return
    const { line, value, hash } = header
    try {
      const { type: _, ...rest } = value
      yield { session: toFound(fromHeader(rest, messages, looseRules), 'parley', hash, line, reading) }
    } catch (error) {
      yield toFailure(error, reading.place(line), titleOf(value), 'parley')
    }
    yield 'next'
  }
  for await (const raw of splitJson(file.open(), reading.limits)) {
    const value = parseOrUndefined(raw.bytes)
    if (isFields(value) && value.type === 'session') {
      yield* finish()
      header = { line: raw.line, value, hash: hashOf(raw) }
      messages = []
      bytes = 0
    } else {
      bytes += raw.bytes.length
      requireWithin(bytes, reading.limits)
      const { type: _, ...message } = isFields(value) ? value : { value }
      messages.push(message)
    }
  }
  yield* finish()
}

const titleOf = ({ session }: Fields) => toTitle(isFields(session) ? session.title : '', 80)

async function* readText(file: SourceFile, reading: Reading): AsyncGenerator<Step> {
  requireWithin(file.bytes, reading.limits)
  const content = await wholeText(Readable.from(file.open()))
  try {
    const documents = readDocuments(content, { rules: looseRules })
    const hash = createHash('sha256').update(content).digest('hex')
    for (const [index, document] of documents.entries())
      yield {
        session: toFound(
          document,
          document.session.id ? 'parley' : 'messages',
          `${hash}-${index}`,
          1,
          reading,
        ),
      }
  } catch (error) {
    if (file.name === '') throw error
    yield toFailure(error, reading.place(1), '', 'text')
  }
  yield 'next'
}

const hashOf = ({ bytes }: RawValue) => createHash('sha256').update(bytes).digest('hex')

function toFound(
  { session, messages }: SessionDocument,
  source: string,
  hash: string,
  line: number,
  { maxValues, place }: Reading,
): FoundSession {
  requireFew(session, maxValues, 'The session')
  for (const [index, message] of messages.entries()) requireFew(message, maxValues, `messages.${index}`)
  return {
    place: place(line),
    key: [source, session.id ?? hash, ''],
    session,
    messages: messages.map(toWritten),
  }
}

async function* toSessions(
  conversation: Conversation,
  source: string,
  hash: string,
  line: number,
  reading: Reading,
): AsyncGenerator<FoundSession> {
  const { notes, limits, assets } = reading
  await fillAssets(conversation, assets, limits, notes)
  const id = conversation.id || hash
  const branches = toBranches(conversation, limits, notes)
  const newest = newestOf(conversation, branches)
  const cleaned = new Set<string>()
  for (const branch of branches) {
    yield {
      place: reading.place(line),
      key: [source, id, branch.key],
      branch: { hasOthers: branches.length > 1, from: branch.from },
      session: toSession(conversation, branch, newest, notes),
      messages: branch.drafts.map((draft, place) => toStored(draft, place, reading, cleaned)),
    }
  }
  notes.add('characters_removed', cleaned.size)
}

/** When something happened last, in all of its branches. */
function newestOf({ updatedAt }: Conversation, branches: readonly Branch[]): string | undefined {
  const times = [toInstant(updatedAt), ...branches.map((branch) => branch.updatedAt)]
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1)
}

function toSession(
  { title, createdAt, isArchived, instructions }: Conversation,
  branch: Branch,
  newest: string | undefined,
  notes: ImportNotes,
): SessionDocument['session'] {
  const begun = [toInstant(createdAt), branch.createdAt].filter((time) => time !== undefined).toSorted()
  const told = instructions?.toWellFormed().replaceAll('\0', '').trim()
  const isTooLong = told !== undefined && told.length > maxInstructions
  if (isTooLong && branch.key === '') notes.add('instructions_left_out')
  return {
    kind: 'interactive',
    title: toTitle(title).toWellFormed(),
    ...(told && !isTooLong && { instructions: told }),
    ...(branch.from ? { createdAt: branch.createdAt } : { createdAt: begun[0] }),
    // a list shows the branch in which something happened last: that is the one that was shown there
    updatedAt: branch.isCurrent ? newest : earlier(branch.updatedAt, newest),
    ...(isArchived && { archivedAt: newest ?? branch.createdAt ?? new Date().toISOString() }),
  }
}

function earlier(time: string | undefined, newest: string | undefined): string | undefined {
  if (time === undefined || newest === undefined || time < newest) return time
  return new Date(Math.max(0, Date.parse(newest) - 1)).toISOString()
}

function toStored(
  draft: Branch['drafts'][number],
  place: number,
  { maxValues }: Reading,
  cleaned: Set<string>,
): WrittenMessage {
  const message = draft as NewMessage
  if (!isClean(message)) cleaned.add(draft.id)
  const checked = requireMessage(toPortableMessage(message), place)
  requireFew(checked, maxValues, `messages.${place}`)
  return toWritten(checked)
}

function isClean(message: NewMessage): boolean {
  try {
    requireCleanJson(message, documentDepth)
    return true
  } catch (error) {
    if (error instanceof ParleyError) return false
    throw error
  }
}

/** Whoever reads the message later parses it in one go. */
function requireFew(value: unknown, maxValues: number, what: string): void {
  if (countValues(value, maxValues) > maxValues)
    throw new ParleyError(
      'payload_too_large',
      `${what} holds more than ${maxValues} values (limits.jsonValues).`,
    )
}
