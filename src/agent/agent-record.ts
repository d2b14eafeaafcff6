import { stringify } from 'yaml'
import { describeThrown, invalidRequest, quote } from '../core/protocol/error.ts'
import { requireCleanText } from '../core/protocol/json.ts'
import type { NewMessage, Part } from '../core/protocol/message.ts'
import type { RecordPaths, RecordSettings } from '../core/protocol/record.ts'
import { inTime } from '../core/shared/time-limit.ts'
import { withoutFence } from '../core/shared/text.ts'
import type { MessageToAppend } from '../core/store/queries/messages.ts'
import { checkMessages } from './check-messages.ts'

const handlerMs = 60_000

/** A finished request, for handlers that decide what is kept of it. */
export interface FinishedRequest {
  /** As it was given to `ask`. */
  input: unknown
  text: string
  /** The answer as a value, when it is JSON. */
  data?: unknown
  parts: Part[]
}

/** Answers the messages to be stored, in place of question and answer as they are. */
export type RecordHandler = (request: FinishedRequest) => NewMessage[] | Promise<NewMessage[]>

/** A registered handler, with its time limit per call; default 60,000. */
export interface TimedRecordHandler {
  handler: RecordHandler
  timeoutMs?: number
}

/** The messages that a request leaves behind, by its handler, by paths, or as they are. */
export async function toRecord(
  request: FinishedRequest,
  question: MessageToAppend,
  reply: MessageToAppend,
  { input, output }: RecordSettings,
  timed: TimedRecordHandler | undefined,
): Promise<MessageToAppend[]> {
  if (timed) {
    const { handler, timeoutMs = handlerMs } = timed
    const late = `The record handler gave no answer within ${timeoutMs} ms.`
    const messages = await inTime({ timeoutMs, late }, async () => {
      try {
        return await handler(request)
      } catch (error) {
        throw new Error(`The record handler failed: ${describeThrown(error)}`, { cause: error })
      }
    })
    return checkMessages(messages)
  }
  const selected = input && select(request.input, input)
  const answered = output && select(request.data, output)
  return [
    selected === undefined ? question : { ...question, parts: [{ type: 'text', text: selected }] },
    // where no path leads anywhere, the answer itself is better than nothing
    answered === undefined ? reply : { ...reply, parts: [{ type: 'text', text: answered }] },
  ]
}

function select(value: unknown, { paths, mode = 'all' }: RecordPaths): string | undefined {
  const found = paths.flatMap((path) => {
    const at = valueAt(value, path)
    return at === undefined ? [] : [{ path, text: toText(at) }]
  })
  const [first] = found
  if (!first) return undefined
  if (mode === 'first' || paths.length === 1) return first.text
  return found.map(({ path, text }) => `[${path}]:\n${text}`).join('\n')
}

function valueAt(value: unknown, path: string): unknown {
  let current = value
  for (const key of path.split(/[./]/).filter((piece) => piece !== '')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : stringify(value).trimEnd())

/** How an input is sent to the model: a text as it is, anything else as YAML. */
export function toInputParts(input: unknown): Part[] {
  if (typeof input === 'string' && input !== '') {
    requireCleanText(input, () => 'the input')
    return [{ type: 'text', text: input }]
  }
  if (typeof input !== 'object' || input === null)
    throw invalidRequest(`An input is a text or an object, not ${quote(input)}.`)
  return [{ type: 'text', text: toText(input) }]
}

/** The answer as a value, if JSON was requested and returned. */
export function toData(text: string): unknown {
  const bare = withoutFence(text)
  try {
    return JSON.parse(bare)
  } catch {
    return undefined // a plain text answer
  }
}
