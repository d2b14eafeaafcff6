import { parseJsonEventStream } from 'ai'
import { Stream } from 'openai/streaming'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readEvents } from '../src/client/chat.ts'
import type { RunEvent } from '../src/core/protocol/chunk.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createScripted, says } from './chat-harness.ts'
import { anyDatabase, steppedClock } from './harness.ts'
import { startApp, type AppServer } from './http/app-server.ts'

const day = 24 * 3_600_000
const words = Array.from({ length: 500 }, (_, index) => `word${index} `)

async function createSession({ url }: AppServer): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return ((await response.json()) as { id: string }).id
}

const chat = ({ url }: AppServer, id: string) =>
  fetch(`${url}/api/sessions/${id}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'hi' }),
  })

const observe = ({ url }: AppServer, id: string, lastEventId?: string | number, query = '') =>
  fetch(`${url}/api/sessions/${id}/observe${query}`, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
  })

async function collect(response: Response): Promise<RunEvent[]> {
  expect(response.status).toBe(200)
  const events: RunEvent[] = []
  for await (const batch of readEvents(response)) events.push(...batch)
  return events
}

const textOf = (events: readonly RunEvent[]) =>
  events.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')

const expectGrowing = (events: readonly RunEvent[]) => {
  for (const [index, { seq }] of events.slice(1).entries()) expect(seq).toBeGreaterThan(events[index]!.seq)
}

describe.each(anyDatabase)('a stream that was cut on %s', (_name, openDatabase) => {
  it(`goes on after each of ${words.length} words, while they are said`, async () => {
    await using database = await openDatabase()
    const model = createScripted(() => says(...words))
    await using server = await startApp({ database, clock: systemClock, model })
    const id = await createSession(server)
    const whole = chat(server, id).then(collect)
    const seen: RunEvent[] = []
    for (let cuts = 0; seen.at(-1)?.chunk.type !== 'finish'; cuts++) {
      const response = await observe(server, id, seen.at(-1)?.seq)
      // asked before the turn began
      if (response.status === 204) continue
      for await (const batch of readEvents(response)) {
        // what came in one piece is cut too: the rest of it was never seen
        seen.push(...batch.slice(0, 1 + (cuts % 3)))
        break
      }
    }
    expectGrowing(seen)
    expect(seen).toEqual(await whole)
    expect(textOf(seen)).toBe(words.join(''))
  })

  it('goes on after each of its events when all is over, on another node and a day later too', async () => {
    await using database = await openDatabase()
    const clock = steppedClock(Date.now())
    const model = createScripted(() => says(...words))
    let id = ''
    let all: RunEvent[] = []
    {
      await using server = await startApp({ database, clock, model })
      id = await createSession(server)
      all = await collect(await chat(server, id))
      expectGrowing(all)
      expect(all.length).toBeGreaterThan(words.length)
      // a process of its own over the same store
      await using other = await startApp({ database, clock, model })
      for (const [index, { seq }] of all.entries()) {
        const rest = await collect(await observe(index % 2 === 0 ? server : other, id, seq))
        expect(rest.length).toBe(all.length - index - 1)
        expect(textOf(all.slice(0, index + 1)) + textOf(rest)).toBe(words.join(''))
      }
    }
    clock.advance(day)
    await using later = await startApp({ database, clock, model })
    const middle = all[250]!
    expect(await collect(await observe(later, id, middle.seq))).toEqual(all.slice(251))
    // what is no number of ours, and what was never told, mean: from the start, and nothing more
    for (const unknown of ['abc', '-1', '1e3', '9'.repeat(40)])
      expect(await collect(await observe(later, id, unknown)), unknown).toEqual(all)
    expect(await collect(await observe(later, id, 999_999))).toEqual([])
    const stranger = await createSession(later)
    expect((await observe(later, stranger)).status).toBe(204)
    for (const path of [`?scope=other`, `?run=run_unknown`])
      expect((await observe(later, id, 1, path)).status, path).toBe(404)
    const runId = (await observe(later, id)).headers.get('x-parley-run')
    expect((await observe(later, stranger, 1, `?run=${runId}`)).status).toBe(404)
  })
})

it('reads the same in three parsers, whatever is said', async () => {
  const pieces = [
    'a\nb',
    'a\rb',
    'a\r\nb',
    '\n\n',
    '\r\n\r\ndata: no\n\n',
    'id: 7\nevent: x\n\n',
    '\u2028\u2029\u0085',
    '\ufefffirst',
    'nul \\u0000 in words',
    ': still here\n\n',
    '[DONE]',
    'data: [DONE]\n\n',
    '🦉 ümläut 汉字',
    'x'.repeat(1_048_576),
  ]
  const model = createScripted(() => says(...pieces))
  await using server = await startApp({ clock: systemClock, model })
  const id = await createSession(server)
  const events = await collect(await chat(server, id))
  const chunks = events.map(({ chunk }) => chunk)
  expect(chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? chunk.delta : [])).join('')).toBe(
    pieces.join(''),
  )
  const byAiSdk: unknown[] = []
  const parsed = parseJsonEventStream({
    stream: (await observe(server, id)).body!,
    schema: z.unknown() as never,
  })
  for await (const result of parsed as unknown as AsyncIterable<{ value?: unknown; error?: unknown }>) {
    expect(result.error).toBeUndefined()
    byAiSdk.push(result.value)
  }
  const byOpenai: unknown[] = []
  for await (const value of Stream.fromSSEResponse(await observe(server, id), new AbortController()))
    byOpenai.push(value)
  expect(byAiSdk).toEqual(chunks)
  expect(byOpenai).toEqual(chunks)
})
