import { createParser } from 'eventsource-parser'
import type { ChatAnswer, ChatBody, RunRecord } from '../core/protocol/chat.ts'
import type { Chunk, RunEvent } from '../core/protocol/chunk.ts'
import { ParleyError } from '../core/protocol/error.ts'
import {
  outputOf,
  readOutputSchema,
  readTyped,
  withOutput,
  type OutputSchema,
  type TypedAnswer,
} from '../core/protocol/output.ts'
import type { Message, MessagePage } from '../core/protocol/message.ts'
import { createStreamed, type Streamed } from '../core/shared/streamed.ts'
import type { SendOptions } from '../core/protocol/sessions.ts'
import type { Send } from './http.ts'
import { randomKey } from './random-key.ts'

// a server that restarts is back within seconds
const maxReconnects = 10
export const reconnectMs = 500

/**
 * A turn over HTTP. While followed, it survives broken connections: the stream resumes after the last event that was
 * seen. Awaited alone, it is one request.
 */
export function createChat<Value>(
  send: Send,
  sessionId: string,
  body: ChatBody | string,
  options?: { output: OutputSchema<Value> },
): Streamed<RunEvent, TypedAnswer<Value>> {
  const wanted = options && readOutputSchema(options.output)
  const plain: ChatBody = typeof body === 'string' ? { content: body } : body
  const json = wanted ? withOutput(plain, wanted.form) : plain
  const path = `/api/sessions/${encodeURIComponent(sessionId)}`
  // one key for all tries: a request that is repeated finds the run of the first one
  const idempotencyKey = randomKey()
  const query = { scope: json.scope }
  let runId: string | undefined

  return createStreamed({
    async *events() {
      let last = 0
      let isFinished = false
      for (let failures = 0; !isFinished; failures++) {
        try {
          const response =
            runId === undefined
              ? await send('POST', `${path}/chat`, { json, accept: 'text/event-stream', idempotencyKey })
              : await send('GET', `${path}/observe`, {
                  query: { ...query, after: last },
                  accept: 'text/event-stream',
                })
          runId = response.headers.get('x-parley-run') ?? runId
          for await (const events of readEvents(response, () => (isFinished = true))) {
            failures = 0
            last = events.at(-1)!.seq
            yield events
            isFinished ||= events.some(isEnd)
          }
        } catch (error) {
          if (isFinished) return
          if (error instanceof ParleyError && error.code !== 'store_unavailable') throw error
          if (failures >= maxReconnects) throw error
        }
        if (!isFinished) await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    },

    async answer() {
      const answer = await readAnswer()
      return (wanted ? readTyped(wanted, answer) : answer) as Promise<TypedAnswer<Value>>
    },
  })

  async function readAnswer(): Promise<ChatAnswer> {
    if (runId === undefined) {
      const response = await send('POST', `${path}/chat`, {
        json,
        accept: 'application/json',
        idempotencyKey,
      })
      return (await response.json()) as ChatAnswer
    }
    const run = (await (await send('GET', `/api/runs/${runId}`, { query })).json()) as RunRecord
    const { messageIds } = (run.outcome ?? {}) as { messageIds?: string[] }
    if (messageIds) return { run, usage: run.usage, ...(await readAnswers(send, path, query, messageIds)) }
    const { items } = (await (
      await send('GET', `${path}/messages`, { query: { ...query, limit: 50 } })
    ).json()) as MessagePage
    const message = items.find(({ metadata }) => metadata?.runId === runId)
    const output = outputOf(run, message)
    return { run, usage: run.usage, message, ...(output !== undefined && { output }) }
  }
}

/** What was answered in a room, from its newest message back to the first answer. */
async function readAnswers(
  send: Send,
  path: string,
  query: { scope?: string },
  ids: readonly string[],
): Promise<Pick<ChatAnswer, 'message' | 'messages'>> {
  const found = new Map<string, Message>()
  for (let before: string | undefined; ;) {
    const response = await send('GET', `${path}/messages`, { query: { ...query, limit: 50, before } })
    const { items, nextCursor } = (await response.json()) as MessagePage
    for (const message of items) if (ids.includes(message.id)) found.set(message.id, message)
    if (found.size === ids.length || nextCursor === null) break
    before = nextCursor
  }
  const messages = ids.flatMap((id) => found.get(id) ?? [])
  return { message: messages[0], messages }
}

/** One request whose stream is closed as soon as it begins: by then the input is stored, and the turn continues. */
export async function sendInput(
  send: Send,
  sessionId: string,
  body: ChatBody | string,
  { idempotencyKey = randomKey() }: SendOptions = {},
): Promise<{ runId: string }> {
  const response = await send('POST', `/api/sessions/${encodeURIComponent(sessionId)}/chat`, {
    json: typeof body === 'string' ? { content: body } : body,
    accept: 'text/event-stream',
    idempotencyKey,
  })
  await response.body?.cancel()
  const runId = response.headers.get('x-parley-run')
  if (runId === null) throw new ParleyError('internal', 'What answered is no Parley: it named no run.')
  return { runId }
}

/** Emitted when the end of the run is stored; nothing follows it. A run that never began ends without one. */
export const isEnd = ({ chunk }: RunEvent) => chunk.type === 'finish'

/** The events of one connection; `onDone` is called when the server reports that the run is finished. */
export async function* readEvents(response: Response, onDone = () => {}): AsyncGenerator<RunEvent[]> {
  let events: RunEvent[] = []
  const parser = createParser({
    onEvent({ id, data }) {
      if (data === '[DONE]') onDone()
      else if (id !== undefined) events.push({ seq: Number(id), chunk: JSON.parse(data) as Chunk })
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (events.length === 0) continue
    yield events
    events = []
  }
}
