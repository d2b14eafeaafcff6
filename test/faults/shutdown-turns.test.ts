import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { countOpen, inputOf, post, startProvider } from './nodes.ts'

const stops = Number(process.env.PARLEY_TEST_STOPS ?? 2)
const chats = 4

describe.each(databases)('a server that is told to stop on %s', (name, openDatabase) => {
  it(
    `lets turns end or go on at the next start, ${stops} times`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      // some end within the time that a server takes to stop, others do not, and one cannot
      let held = ''
      let stopped = Promise.withResolvers<void>()
      await using provider = await startProvider(
        async (messages) => {
          const input = inputOf(messages)
          if (input === held) await stopped.promise
          return { text: `done with ${input}`, chunks: 30 }
        },
        { frameMs: 60 },
      )
      const config = join(folder.path, 'parley.yaml')
      writeFileSync(
        config,
        `model: openai/test\nopenai: {baseUrl: "${provider.url}", apiKey: test-key}\nlimits: {shutdownMs: 300}\n`,
      )
      const env = { ...database.environment, PARLEY_CONFIG: config }
      const acknowledged = new Map<string, string>()
      let count = 0
      for (let round = 0; round < stops; round++) {
        const server = await startServer({ env })
        held = `input ${count + 1}`
        stopped = Promise.withResolvers<void>()
        let taken = 0
        const talking = Array.from({ length: chats }, async () => {
          const { id } = (await (await post(`${server.url}/api/sessions`, {})).json()) as { id: string }
          for (;;) {
            const content = `input ${++count}`
            const response = await post(`${server.url}/api/sessions/${id}/chat`, { content })
            expect(response.status, 'a request that was taken is answered').toBe(200)
            acknowledged.set(content, id)
            taken++
            await response.text()
          }
        })
        // they end when nobody lets them in any more
        const ended = Promise.allSettled(talking)
        await expect.poll(() => taken, { interval: 10 }).toBeGreaterThanOrEqual(chats)
        await sleep(provider.random() * 600)
        expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null })
        stopped.resolve()
        for (const result of await ended)
          expect((result as PromiseRejectedResult).reason).toBeInstanceOf(TypeError)
        const levels = [...server.log().matchAll(/"level":(\d+)/g)].map(([, level]) => Number(level))
        expect(Math.max(0, ...levels), server.log()).toBeLessThan(40)
      }
      await using store = await database.open(systemClock)
      const unfinished = await countOpen(store)
      const last = await startServer({ env })
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 100 }).toBe(0)
      await last.kill('SIGTERM')

      expect(unfinished).toBeGreaterThan(0)
      for (const id of new Set(acknowledged.values())) {
        const log = (await store.listMessages('default', id, { limit: 1_000 })).map(messageText)
        const inputs = [...acknowledged].flatMap(([text, at]) => (at === id ? text : []))
        // one that was taken when the time was over may have got no answer, and is stored all the same
        const stored = log.filter((_text, index) => index % 2 === 0)
        expect(stored).toEqual(expect.arrayContaining(inputs))
        expect(new Set(stored).size, 'an input is stored twice').toBe(stored.length)
        expect(log).toEqual(stored.flatMap((input) => [input, `done with ${input}`]))
      }
      process.stdout.write(
        `${name}: ${stops} stops, ${acknowledged.size} inputs acknowledged and answered once, ${unfinished} of them after the last start\n`,
      )
    },
    180_000 + stops * 30_000,
  )
})
