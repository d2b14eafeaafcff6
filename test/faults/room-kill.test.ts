import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../src/core/protocol/message-text.ts'
import type { Message } from '../../src/core/protocol/message.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import type { Store } from '../../src/core/store/store.ts'
import { databases, temporaryFolder } from '../harness.ts'
import {
  countOpen,
  longLease,
  nextMoment,
  readJournal,
  startNode,
  startProvider,
  toolCall,
  type Said,
} from './nodes.ts'

const kills = Number(process.env.PARLEY_TEST_ROOM_KILLS ?? 2)
const agents = ['mira', 'quill', 'pip']
/** Whom an agent calls when it was called itself. */
const calls: Record<string, string> = { mira: '@quill', quill: '@pip', pip: '' }

describe.each(databases)('%s: a room of three agents', (name, openDatabase) => {
  // a file has one node; a server any number
  const nodeCount = name === 'SQLite' ? 1 : 2

  it(
    `answers over ${kills} kills: no agent twice, and none is left out`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      /** Answers that were in a log when no process was there to write one. */
      const stored = new Set<string>()
      const askedAgain: string[] = []
      await using provider = await startProvider((messages) => {
        const { key, reply } = answer(messages)
        if (stored.has(key)) askedAgain.push(key)
        return reply
      })
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = () => startNode('journal-node.ts', provider.url, journal, storage, longLease)
      await using store = await database.open(systemClock)
      await store.ensureScope('default')
      const { id } = await store.createSession({ scope: 'default', mode: 'free_chat', agents, modeState: {} })
      let inputs = 0
      const say = () => queueInput(store, id, ++inputs)
      for (let count = 0; count < 4; count++) await say()

      let nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      for (let killed = 0; killed < kills; killed++) {
        await nextMoment(provider, killed, 3)
        // all of them, so that nothing is going on when it is looked at what is stored
        await Promise.all(nodes.map(({ kill }) => kill()))
        for (const key of (await readTurns(store, id)).flatMap(({ keys }) => keys)) stored.add(key)
        if ((await countOpen(store)) < 4) for (let count = 0; count < 2; count++) await say()
        nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      }
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 100 }).toBe(0)
      await Promise.all(nodes.map(({ kill }) => kill()))

      const turns = await readTurns(store, id)
      expect(turns.map(({ input }) => input)).toEqual(Array.from({ length: inputs }, (_, index) => index + 1))
      for (const { input, keys } of turns) expect(keys).toEqual(agents.map((agent) => `${agent} ${input}`))
      expect(askedAgain).toEqual([])
      // what an agent remembers to have said is what the room heard
      for (const seat of await store.listSeats(id)) {
        const log = await store.listMessages('default', seat.sessionId, { limit: 10_000 })
        expect(log.filter(({ role }) => role === 'assistant')).toHaveLength(inputs)
      }
      expect(readJournal(journal).size).toBe(inputs * agents.length)
      process.stdout.write(
        `${name}: ${kills} kills of ${nodeCount} nodes, ${inputs} inputs, ${inputs * agents.length} answers, none twice, none left out\n`,
      )
    },
    300_000 + kills * 6_000,
  )
})

/** An input that waits; every second one is for the first agent alone, which calls the next. */
const queueInput = (store: Store, sessionId: string, number: number) =>
  store.createRun({
    scope: 'default',
    sessionId,
    kind: 'room',
    input: {
      message: {
        id: `msg_input${number}`,
        parts: [{ type: 'text', text: `${number % 2 === 0 ? '@mira ' : ''}input ${number}` }],
        metadata: { from: 'operator' },
      },
      room: { from: 'operator' },
    },
  })

/** An agent takes a note of what it was told, then says so, and calls the next one when it was called. */
function answer(messages: Said[]) {
  const [, agent] = /You are \w+ \(@(\w+)\)/.exec(JSON.stringify(messages[0]))!
  const told = JSON.stringify(messages.findLast(({ role }) => role === 'user'))
  const input = [...told.matchAll(/input (\d+)/g)].at(-1)![1]!
  const key = `${agent} ${input}`
  if (messages.at(-1)!.role !== 'tool')
    return { key, reply: { toolCalls: [toolCall(`call_${input}`, 'note', { text: key })] } }
  const next = Number(input) % 2 === 0 ? calls[agent!] : ''
  return { key, reply: { text: `${agent} heard input ${input} ${next}`.trim() } }
}

/** What was answered to each input, in the order of the log. */
async function readTurns(store: Store, id: string): Promise<{ input: number; keys: string[] }[]> {
  const turns: { input: number; keys: string[] }[] = []
  for (const message of await store.listMessages('default', id, { limit: 10_000 })) {
    const input = inputOf(message)
    if (message.role === 'user') turns.push({ input, keys: [] })
    else {
      expect(input).toBe(turns.at(-1)!.input)
      turns.at(-1)!.keys.push(`${String(message.metadata!.agent)} ${input}`)
    }
  }
  return turns
}

const inputOf = (message: Message) => Number(/input (\d+)/.exec(messageText(message))![1])
