import pRetry from 'p-retry'
import type { ModelAdapter, Usage } from '../../models/adapter.ts'
import { ModelFault } from '../../models/fault.ts'
import { invalidRequest, quote } from '../../protocol/error.ts'
import type { Message, Part } from '../../protocol/message.ts'
import type { Memo } from '../../protocol/window.ts'
import { inTime } from '../../shared/time-limit.ts'
import { readLoose } from '../../shared/loose-json.ts'
import { withoutFence } from '../../shared/text.ts'
import { askHandler, type MemoUpdate, type WindowHandlers } from './window-handlers.ts'
import { checkMemo } from './memo-schema.ts'

export interface UpdatedMemo {
  memo: Memo
  author: 'model' | 'handler'
  model?: string
  usage?: Usage
}

// the output of a tool matters less than what was made of it
const maxToolText = 500
const maxMessageText = 20_000

/**
 * One update by the handler or the model. Throws when what comes back is no memo of the schema; nothing changes then.
 * `onAnswer` receives what a model used, whether its answer is of use or not.
 */
export async function updateMemo(
  update: MemoUpdate,
  handlers: WindowHandlers,
  adapter: () => ModelAdapter,
  pinned: readonly string[],
  onAnswer: (model: string, usage: Usage) => Promise<void>,
): Promise<UpdatedMemo> {
  const { answer, ...by } = handlers.memoUpdateHandler
    ? {
        answer: await askHandler('memo update handler', update, (signal) =>
          handlers.memoUpdateHandler!({ ...update, signal }),
        ),
        author: 'handler' as const,
      }
    : // an adapter may be anybody's as well
      await inTime(update, (signal) => askModel({ ...update, signal }, adapter(), onAnswer))
  const kept = Object.fromEntries(pinned.map((key) => [key, update.memo[key]]))
  return { ...by, memo: checkMemo(withPinned(readMemo(answer), kept), update) }
}

/** The memo itself, or wrapped as `{memo}`. */
function readMemo(answer: unknown): Memo {
  if (!isObject(answer))
    throw invalidRequest(`A memo update must answer an object; it answered ${quote(answer)}.`)
  const keys = Object.keys(answer)
  return keys.length === 1 && keys[0] === 'memo' && isObject(answer.memo) ? answer.memo : answer
}

const isObject = (value: unknown): value is Memo =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function withPinned(memo: Memo, kept: Memo): Memo {
  const merged = { ...memo, ...kept }
  // a pinned key that was absent stays absent
  for (const [key, value] of Object.entries(kept)) if (value === undefined) delete merged[key]
  return merged
}

async function askModel(
  update: MemoUpdate,
  adapter: ModelAdapter,
  onAnswer: (model: string, usage: Usage) => Promise<void>,
) {
  const { memo, messages, attachments, instruct, schema, maxLength, signal } = update
  const system = [
    instruct,
    `Answer with the whole new memo as one JSON object and nothing else, at most ${maxLength} characters. It must match this JSON Schema:`,
    JSON.stringify(schema),
  ].join('\n\n')
  const request = {
    system,
    messages: [
      {
        role: 'user' as const,
        content: [
          {
            type: 'text' as const,
            text: JSON.stringify({ current_memo: memo, messages: messages.map(toLine), attachments }),
          },
        ],
      },
    ],
    tools: [],
    cacheKey: `${update.sessionId}:memo`,
  }
  const ask = async () => {
    let text = ''
    let usage: Usage = {}
    for await (const event of adapter.stream(request, signal)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'finish') usage = event.usage
      // a model that repeats itself would write for ever
      if (text.length > maxLength * 4)
        throw invalidRequest(`The model wrote more than ${maxLength * 4} characters for the memo.`)
    }
    return { text, usage }
  }
  const { text, usage } = await pRetry(ask, {
    retries: 2,
    minTimeout: 500,
    signal,
    shouldRetry: ({ error }) => error instanceof ModelFault && error.isTransient,
  })
  await onAnswer(adapter.id, usage)
  return { answer: parseAnswer(text), author: 'model' as const, model: adapter.id, usage }
}

function toLine({ seq, role, parts }: Message): string {
  const texts = parts.flatMap((part) => partText(part) ?? [])
  return `[${seq}] ${role}: ${texts.join('\n').slice(0, maxMessageText)}`
}

function partText(part: Part): string | undefined {
  if (part.type === 'text') return part.text as string
  if (part.type === 'data-steer')
    return (part.data as { parts: Part[] }).parts.flatMap((inner) => partText(inner) ?? []).join('\n')
  if (part.toolCallId === undefined) return undefined
  const name = part.toolName ?? part.type.slice('tool-'.length)
  const outcome = JSON.stringify(part.output ?? part.errorText) ?? ''
  return `(called ${String(name)} with ${JSON.stringify(part.input)?.slice(0, maxToolText)}; it answered ${outcome.slice(0, maxToolText)})`
}

function parseAnswer(text: string): unknown {
  const bare = withoutFence(text)
  try {
    return JSON.parse(bare)
  } catch {
    const read = readLoose(bare, Math.max(0, bare.search(/[{[]/)))
    if ('value' in read) return read.value
    throw invalidRequest(`The model did not answer with JSON for the memo: ${quote(text)}`)
  }
}

/** What the memo gets to know of a part that is no text: what it is and where it lies, not what is in it. */
export async function summariseAttachments(
  messages: readonly Message[],
  bounds: { timeoutMs: number; signal: AbortSignal },
  { attachmentSummaryHandler: summarise = summariseAttachment }: WindowHandlers,
): Promise<unknown[]> {
  const summaries: unknown[] = []
  for (const message of messages)
    for (const part of message.parts)
      if (part.type === 'file')
        summaries.push(
          await askHandler('attachment summary handler', bounds, () =>
            summarise(structuredClone(part), structuredClone(message)),
          ),
        )
  return summaries
}

function summariseAttachment(part: Part, { seq }: Message) {
  const url = String(part.url ?? '')
  return {
    type: 'file',
    message: seq,
    ref: part.filename ?? (url.startsWith('data:') ? undefined : url),
    meta: { mime_type: part.mediaType, ...(url.startsWith('data:') && { size: url.length }) },
  }
}
