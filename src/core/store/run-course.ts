/**
 * The course of a run: its steps and events, as they are stored when it has ended with a reply. The reply has the words
 * already, so what a part of it says is not stored again: an event refers to the part, deltas are lengths in its text, and
 * steps are numbers of parts. Whatever no part says is stored as it is, so that what is read is always what was emitted.
 *
 * The parts are those of the message, of the outcome where the log has others, or `words` of the run once the message was
 * changed or removed. Where an earlier version removed it, events keep their numbers and lose their words.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Chunk, RunEvent } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import { pack, type EventBatch, type PackedDeltas } from './event-batch.ts'

export interface Course {
  steps: readonly { parts: readonly Part[]; prompt: unknown }[]
  /** All of the run, in order. */
  events: readonly RunEvent[]
}

/** What a course refers to. */
export interface Reply {
  runId: string
  usage: unknown
  parts: readonly Part[]
}

interface StoredCourse {
  /** So many of the next parts of the reply, or parts that are not in it. */
  steps: { parts: number | readonly Part[]; prompt: unknown }[]
  /** Events without a gap between them, after the number of the first. */
  events: [firstSeq: number, ...StoredEvents[]][]
}

/**
 * - a text: a chunk that has nothing but this type, or `start`
 * - `[type, part]`: a chunk of this type that says what the part says
 * - `[kind, id, part, lengths]`: the whole text of the part, begun, said and ended
 * - `['tool-input-delta', part, lengths]`, `['tool-input-delta', callId, text, lengths]`: the input of a call as it was written
 * - `['finish', reason, metadata]`
 * - anything else as it was emitted
 */
type StoredEvents = string | readonly [type: string, ...rest: unknown[]] | Chunk | PackedDeltas

export function writeCourse({ steps, events }: Course, reply: Reply): string {
  const course: StoredCourse = { steps: toStoredSteps(steps, reply.parts), events: [] }
  const write = createWriter(reply)
  for (const row of withoutGaps(events)) course.events.push([row[0]!.seq, ...write(row)])
  return JSON.stringify(course)
}

export function readSteps(course: string, { parts }: Reply): { parts: Part[]; prompt: unknown }[] {
  let next = 0
  return (JSON.parse(course) as StoredCourse).steps.map(({ parts: own, prompt }) => ({
    parts: typeof own === 'number' ? parts.slice(next, (next += own)) : [...own],
    prompt,
  }))
}

/** The batches that end after a place; the reply is not read when there are none. */
export function readEvents(
  course: string,
  { after, limit }: { after: number; limit: number },
  readReply: () => Reply,
): EventBatch[] {
  const rows = (JSON.parse(course) as StoredCourse).events
  const wanted = rows.filter(([firstSeq, ...stored]) => firstSeq + countEvents(stored) > after + 1)
  if (wanted.length === 0) return []
  const read = createReader(readReply())
  return wanted.slice(0, limit).map(([firstSeq, ...stored]) => ({
    firstSeq,
    seq: firstSeq + countEvents(stored) - 1,
    events: stored.flatMap(read),
  }))
}

function toStoredSteps(steps: Course['steps'], parts: readonly Part[]): StoredCourse['steps'] {
  let next = 0
  return steps.map(({ parts: own, prompt }) => {
    const isNext = own.every((part, index) => part === parts[next + index])
    if (isNext) next += own.length
    return { parts: isNext ? own.length : own, prompt }
  })
}

function withoutGaps(events: readonly RunEvent[]): RunEvent[][] {
  const rows: RunEvent[][] = []
  for (const event of events) {
    const row = rows.at(-1)
    if (row?.at(-1)?.seq === event.seq - 1) row.push(event)
    else rows.push([event])
  }
  return rows
}

/** Writes rows of events in their order. */
function createWriter(reply: Reply): (row: RunEvent[]) => StoredEvents[] {
  const { parts } = reply
  const calls = Map.groupBy(parts.keys(), (index) => parts[index]!.toolCallId)

  const isSaid = (chunk: Chunk, index: number) => isDeepStrictEqual(chunk, saidBy(parts[index]!, chunk.type))

  function findPart(chunk: Chunk): number | undefined {
    if ('toolCallId' in chunk) return calls.get(chunk.toolCallId)?.find((index) => isSaid(chunk, index))
    if (!chunk.type.startsWith('data-')) return undefined
    const index = parts.findIndex(
      ({ type, id }, at) => type === chunk.type && 'id' in chunk && id === chunk.id && isSaid(chunk, at),
    )
    return index === -1 ? undefined : index
  }

  function writeChunk(chunk: Chunk): StoredEvents {
    const { type } = chunk
    if (type === 'start') return isDeepStrictEqual(chunk, startOf(reply)) ? type : chunk
    if (Object.keys(chunk).length === 1) return type
    if (type === 'finish') {
      const { runId: _, usage: _usage, ...metadata } = chunk.messageMetadata ?? {}
      const isOfReply = isDeepStrictEqual(chunk, finishOf(reply, chunk.finishReason, metadata))
      return isOfReply ? [type, chunk.finishReason, metadata] : chunk
    }
    const part = findPart(chunk)
    return part === undefined ? chunk : [type, part]
  }

  /** A text or reasoning from its start to its end, when it is that of a part. */
  function writeText(packed: Packed[]): StoredEvents | undefined {
    const [start, deltas, end] = packed
    if (!deltas || !('deltas' in deltas) || !start || !end) return undefined
    const kind = deltas.type === 'text-delta' ? 'text' : 'reasoning'
    const text = deltas.deltas.join('')
    const index = parts.findIndex(
      (part) =>
        part.type === kind &&
        part.text === text &&
        isDeepStrictEqual([start, end], bordersOf(part, kind, deltas.id)),
    )
    if (index === -1) return undefined
    return [kind, deltas.id, index, writeLengths(deltas.deltas)]
  }

  function writeInput(deltas: InputDelta[]): StoredEvents {
    const { toolCallId } = deltas[0]!
    const texts = deltas.map(({ inputTextDelta }) => inputTextDelta)
    const text = texts.join('')
    const index = calls.get(toolCallId)?.find((at) => JSON.stringify(parts[at]!.input) === text)
    const said = index === undefined ? [toolCallId, text] : [index]
    return ['tool-input-delta', ...said, writeLengths(texts)]
  }

  return (row) => {
    const packed = pack(row).events as Packed[]
    const stored: StoredEvents[] = []
    for (let at = 0; at < packed.length;) {
      const text = writeText(packed.slice(at, at + 3))
      const inputs = inputsFrom(packed, at)
      if (text) stored.push(text)
      else if (inputs.length > 0) stored.push(writeInput(inputs))
      else {
        const one = packed[at]!
        stored.push('deltas' in one ? one : writeChunk(one))
      }
      at += text ? 3 : Math.max(1, inputs.length)
    }
    return stored
  }
}

type Packed = Chunk | PackedDeltas
type InputDelta = Extract<Chunk, { type: 'tool-input-delta' }>

/** What was written of one call in a row. */
function inputsFrom(packed: readonly Packed[], at: number): InputDelta[] {
  const first = packed[at]!
  if (first.type !== 'tool-input-delta') return []
  let end = at
  for (let one: Packed | undefined = first; one?.type === 'tool-input-delta'; one = packed[++end])
    if (one.toolCallId !== first.toolCallId) break
  return packed.slice(at, end) as InputDelta[]
}

function createReader(reply: Reply): (stored: StoredEvents) => Packed[] {
  const { parts } = reply
  const partAt = (index: unknown): Part => parts[index as number] ?? { type: 'text', text: '' }
  return (stored) => {
    if (typeof stored === 'string') return [stored === 'start' ? startOf(reply) : ({ type: stored } as Chunk)]
    if (!isRow(stored)) return [stored]
    const [type, ...rest] = stored
    if (type === 'finish') {
      const [reason, metadata] = rest as [string | undefined, Record<string, unknown>]
      return [finishOf(reply, reason ?? undefined, metadata)]
    }
    if (type === 'text' || type === 'reasoning') {
      const [id, index, lengths] = rest as [string, number, string]
      const part = partAt(index)
      const [began, ended] = bordersOf(part, type, id)
      const deltas = readLengths(lengths, String(part.text ?? ''))
      return [began, { type: `${type}-delta`, id, deltas }, ended]
    }
    if (type === 'tool-input-delta') {
      const lengths = rest.at(-1) as string
      const [toolCallId, text] =
        rest.length === 3
          ? (rest as [string, string])
          : [partAt(rest[0]).toolCallId as string, JSON.stringify(partAt(rest[0]).input) ?? '']
      return readLengths(lengths, text).map((inputTextDelta) => ({ type, toolCallId, inputTextDelta }))
    }
    return [saidBy(partAt(rest[0]), type)]
  }
}

const isRow = (stored: StoredEvents): stored is readonly [type: string, ...rest: unknown[]] =>
  Array.isArray(stored)

/** How many events are stored as these. */
const countEvents = (stored: readonly StoredEvents[]): number =>
  stored.reduce((count, one) => {
    if (typeof one === 'string') return count + 1
    if (!isRow(one)) return count + ('deltas' in one ? one.deltas.length : 1)
    const isText = one[0] === 'text' || one[0] === 'reasoning'
    if (!isText && one[0] !== 'tool-input-delta') return count + 1
    return count + countLengths(one.at(-1) as string) + (isText ? 2 : 0)
  }, 0)

const startOf = ({ runId }: Reply): Chunk => ({ type: 'start', messageId: runId.replace(/^run_/, 'msg_') })

const finishOf = (
  { runId, usage }: Reply,
  finishReason: string | undefined,
  metadata: Record<string, unknown>,
): Chunk => ({ type: 'finish', finishReason, messageMetadata: { runId, usage, ...metadata } })

function bordersOf({ providerMetadata }: Part, kind: 'text' | 'reasoning', id: string): [Chunk, Chunk] {
  if (kind === 'text')
    return [
      { type: 'text-start', id },
      { type: 'text-end', id },
    ]
  const extra = providerMetadata === undefined ? {} : { providerMetadata }
  return [
    { type: 'reasoning-start', id },
    { type: 'reasoning-end', id, ...(extra as { providerMetadata?: Record<string, unknown> }) },
  ]
}

/** What a chunk of this type says of a part. */
function saidBy(part: Part, type: string): Chunk {
  const { toolCallId, toolName, input, output, errorText, id, data } = part
  switch (type) {
    case 'tool-input-start':
      return { type, toolCallId, toolName, dynamic: true } as Chunk
    case 'tool-input-available':
      return { type, toolCallId, toolName, input, dynamic: true } as Chunk
    case 'tool-input-error':
      return { type, toolCallId, toolName, input, errorText, dynamic: true } as Chunk
    case 'tool-output-available':
      return { type, toolCallId, output, dynamic: true } as Chunk
    case 'tool-output-error':
      return { type, toolCallId, errorText, dynamic: true } as Chunk
    default:
      return { type, id, data } as Chunk
  }
}

// most words are shorter than 36 characters: one character each
const writeLengths = (texts: readonly string[]): string =>
  texts.map(({ length }) => (length < 36 ? length.toString(36) : `.${length.toString(36)}.`)).join('')

const eachLength = /[0-9a-z]|\.[0-9a-z]+\./g

const countLengths = (lengths: string): number => lengths.match(eachLength)?.length ?? 0

function readLengths(lengths: string, text: string): string[] {
  let from = 0
  return (lengths.match(eachLength) ?? []).map((length) =>
    text.slice(from, (from += Number.parseInt(length.replaceAll('.', ''), 36))),
  )
}
