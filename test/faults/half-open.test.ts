import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { expect, it } from 'vitest'
import { isStoreUnavailable } from '../../src/core/protocol/error.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import { openPostgres } from '../../src/core/store/postgres/open.ts'
import { createStore } from '../../src/core/store/store.ts'
import { builtInSlices } from '../built-in.ts'
import { createScripted, openChat, says } from '../chat-harness.ts'
import { postgresDatabase } from '../harness.ts'
import { need } from '../runner/provision.ts'

const rounds = Number(process.env.PARLEY_TEST_HALF_OPEN ?? 2)
const quietMs = 500

it(
  `goes on when all connections to PostgreSQL fall silent or are ended, ${rounds} times`,
  async () => {
    await using database = await postgresDatabase()
    const url = new URL(database.environment.DATABASE_URL!)
    await using proxy = await startProxy(url)
    const admin = new pg.Client({ connectionString: (await need('postgres')).url })
    await admin.connect()
    await using _closed = { [Symbol.asyncDispose]: () => admin.end() }
    await using chat = await openChat(
      async () => ({
        ...database,
        open: () =>
          createStore(openPostgres({ url: proxy.url, poolSize: 5, quietMs }), {
            clock: systemClock,
            ids: createIds(systemClock),
            slices: builtInSlices,
          }),
        [Symbol.asyncDispose]: async () => {},
      }),
      createScripted(() => says('Hello')),
    )
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) proxy.silence()
      else
        await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          url.pathname.slice(1),
        ])
      // nobody waits for ever: it is refused, and works again
      for (let isDone = false; !isDone;) {
        isDone = await chat.ask(`hello ${round}`).then(
          ({ events }) => events.at(-1)?.chunk.type === 'finish',
          (error: unknown) => {
            if (!isStoreUnavailable(error)) throw error
            return false
          },
        )
      }
    }
    // those who waited there gave it up
    await expect.poll(() => proxy.givenUp()).toBeGreaterThan(0)
    await expect.poll(() => chat.store.listOpenRuns(chat.sessionId)).toEqual([])
    const log = await chat.store.listMessages('default', chat.sessionId, { limit: 1_000 })
    for (let round = 0; round < rounds; round++)
      expect(log.filter(({ parts }) => parts[0]?.text === `hello ${round}`).length).toBeGreaterThanOrEqual(1)
    const answers = log.filter(({ role }) => role === 'assistant')
    expect(new Set(answers.map(({ metadata }) => metadata?.runId)).size).toBe(answers.length)
    expect(answers.length).toBe(log.length / 2)
  },
  120_000 + rounds * 20_000,
)

/** Passes bytes on; `silence` keeps what is open as it is, and passes nothing more on there, not even an end. */
async function startProxy(target: URL) {
  const open = new Set<Socket>()
  const silent = new Set<Socket>()
  let givenUp = 0
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        if (socket === client && silent.has(socket)) givenUp++
      })
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(target.href)
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url: url.href,
    /** How many connections were ended from here after they had fallen silent. */
    givenUp: () => givenUp,
    silence() {
      for (const socket of open) {
        // what comes is taken and goes nowhere
        socket.unpipe()
        socket.resume()
        silent.add(socket)
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      proxy.close()
    },
  }
}
