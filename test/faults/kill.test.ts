import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { ParleyError } from '../../src/core/protocol/error.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { databases } from '../harness.ts'
import { createRandom } from '../seed.ts'
import { startServer } from '../server-process.ts'

/** A release runs many more. */
const kills = Number(process.env.PARLEY_TEST_KILLS ?? 3)
const clients = 4
/** After so many answers a server is killed, one number after the other. */
const answersBefore = [5, 0, 13, 1, 34, 2, 8, 3]
const requestMs = 10

/** What one client was told is stored: titles by session id, texts by session id in order. */
interface Acknowledged {
  sessions: Map<string, string>
  messages: Map<string, string[]>
  /** Texts whose request got no answer: they may be stored once, or not at all. */
  unanswered: Set<string>
}

describe.each(databases)('killed at random on %s', (name, openDatabase) => {
  it(
    `keeps every acknowledged session and message exactly once over ${kills} kills`,
    async () => {
      await using database = await openDatabase()
      const acknowledged: Acknowledged = { sessions: new Map(), messages: new Map(), unanswered: new Set() }
      const random = createRandom()
      let count = 0
      for (let round = 0; round < kills; round++) {
        const server = await startServer({ env: database.environment })
        const enough = Promise.withResolvers<void>()
        let left = answersBefore[round % answersBefore.length]!
        const onAnswer = () => {
          if (--left <= 0) enough.resolve()
        }
        if (left === 0) enough.resolve()
        const writers = Array.from({ length: clients }, () =>
          write(server.url, acknowledged, () => `text ${++count}`, onAnswer),
        )
        await Promise.race([enough.promise, ...writers])
        await sleep(random() * requestMs)
        await server.kill('SIGKILL')
        await Promise.all(writers)
      }
      const server = await startServer({ env: database.environment })
      const found = await readAll(server.url)
      await server.kill('SIGTERM')

      const lost: string[] = []
      for (const [id, title] of acknowledged.sessions) if (found.get(id)?.title !== title) lost.push(id)
      for (const [id, texts] of acknowledged.messages) {
        const stored = found.get(id)?.texts ?? []
        const isExpected = (text: string) => texts.includes(text) || acknowledged.unanswered.has(text)
        expect(new Set(stored).size, `session ${id} has a message twice`).toBe(stored.length)
        expect(stored.filter((text) => !isExpected(text))).toEqual([])
        lost.push(...texts.filter((text) => !stored.includes(text)))
      }
      expect(lost).toEqual([])
      const messages = [...acknowledged.messages.values()].reduce((sum, texts) => sum + texts.length, 0)
      expect(messages).toBeGreaterThan(kills)
      process.stdout.write(
        `${name}: ${kills} kills, ${acknowledged.sessions.size} sessions and ${messages} messages acknowledged, 0 lost, 0 twice\n`,
      )
    },
    60_000 + kills * 15_000,
  )
})

/** Writes as fast as it is answered, until the server is gone. */
async function write(
  url: string,
  { sessions, messages, unanswered }: Acknowledged,
  nextText: () => string,
  onAnswer: () => void,
): Promise<void> {
  const client = createClient({ baseUrl: url })
  try {
    const title = nextText()
    const { id } = await client.sessions.create({ title })
    sessions.set(id, title)
    const texts: string[] = []
    messages.set(id, texts)
    for (;;) {
      const text = nextText()
      unanswered.add(text)
      await client.sessions.append(id, { role: 'user', content: text })
      unanswered.delete(text)
      texts.push(text)
      onAnswer()
    }
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== 'store_unavailable') throw error
  }
}

async function readAll(url: string): Promise<Map<string, { title: string; texts: string[] }>> {
  const { sessions } = createClient({ baseUrl: url })
  const found = new Map<string, { title: string; texts: string[] }>()
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await sessions.list({ limit: 200, cursor })
    for (const { id, title } of page.items) {
      const texts: string[] = []
      for (let after: number | null = 0; after !== null;) {
        const log = await sessions.messages(id, { after, limit: 200 })
        texts.push(...log.items.map(messageText))
        expect(log.items.map(({ seq }) => seq)).toEqual(log.items.map((_, index) => after! + index + 1))
        after = log.nextCursor === null ? null : Number(log.nextCursor)
      }
      found.set(id, { title, texts })
    }
    cursor = page.nextCursor
  }
  return found
}
