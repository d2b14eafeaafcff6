import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { countOpen, doTurn, nextMoment, post, readJournal, startNode, startProvider } from './nodes.ts'

/** A release runs many more. */
const kills = Number(process.env.PARLEY_TEST_CHAT_KILLS ?? 3)
const clients = 3

describe.each(databases)('turns with tools, killed at random on %s', (name, openDatabase) => {
  it(
    `lose no acknowledged input, answer none twice and repeat no stored step over ${kills} kills`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      await using provider = await startProvider(doTurn)
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = () => startNode('chat-node.ts', provider.url, journal, storage)
      const acknowledged = new Map<string, string>()
      let count = 0
      for (let round = 0; round < kills; round++) {
        const node = await start()
        const heard = Promise.withResolvers<void>()
        const talking = Array.from({ length: clients }, () =>
          talk(
            node.line,
            () => `input ${++count}`,
            (content, id) => {
              acknowledged.set(content, id)
              heard.resolve()
            },
          ),
        )
        // now and then while it still goes on with what the one before was killed at
        if (round % 3 > 0) await Promise.race([heard.promise, ...talking])
        await nextMoment(provider, round, 2)
        await node.kill()
        await Promise.all(talking)
      }
      const last = await start()
      await using store = await database.open(systemClock)
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 200 }).toBe(0)
      await last.kill()

      const effects = readJournal(journal)
      let answers = 0
      for (const sessionId of new Set(acknowledged.values())) {
        const messages = await store.listMessages('default', sessionId, { limit: 10_000 })
        const texts = messages
          .filter(({ role }) => role === 'user')
          .map(({ parts }) => parts[0]!.text as string)
        expect(new Set(texts).size, 'an input is in the log twice').toBe(texts.length)
        for (const [text, id] of acknowledged)
          if (id === sessionId) expect(texts, 'an acknowledged input is lost').toContain(text)
        // every input has its answer right after it, and no other
        expect(messages.map(({ role }) => role)).toEqual(texts.flatMap(() => ['user', 'assistant']))
        answers += texts.length
        for (const reply of messages.filter(({ role }) => role === 'assistant')) {
          const run = await store.getRun('default', (reply.metadata as { runId: string }).runId)
          expect(run).toMatchObject({ status: 'completed' })
          const steps = await store.listRunSteps(run!.id)
          expect(steps.map(({ step }) => step)).toEqual([1, 2])
          expect(reply.parts.filter(({ type }) => type === 'dynamic-tool')).toHaveLength(1)
        }
      }
      // a tool that cannot be repeated is never run again for a step that was stored
      expect([...effects.values()].filter((times) => times > 1)).toEqual([])
      expect(acknowledged.size).toBeGreaterThan(kills / 2)
      process.stdout.write(
        `${name}: ${kills} kills, ${acknowledged.size} inputs acknowledged, ${answers} answered, 0 lost, 0 twice, ${effects.size} effects\n`,
      )
    },
    180_000 + kills * 4_000,
  )
})

/** Says one thing after another in a session of its own, until the server is gone. */
async function talk(
  url: string,
  nextText: () => string,
  onAcknowledged: (content: string, sessionId: string) => void,
): Promise<void> {
  try {
    const { id } = (await (await post(`${url}/api/sessions`, {})).json()) as { id: string }
    for (;;) {
      const content = nextText()
      const response = await post(`${url}/api/sessions/${id}/chat`, { content })
      expect(response.status).toBe(200)
      // the head is the acknowledgement; the rest may never come
      onAcknowledged(content, id)
      await response.text()
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}
