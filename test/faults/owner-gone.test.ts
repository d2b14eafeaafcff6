/** Whether an owner of runs lives is known: leases are so long here that a test which waited for one would never end. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { resuming, type RunEvent } from '../../src/core/protocol/chunk.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createParley } from '../../src/parley.ts'
import {
  databases,
  postgresDatabase,
  temporaryFolder,
  toOptions,
  type OpenDatabase,
  type TestDatabase,
} from '../harness.ts'
import {
  beginTurn,
  type BegunTurn,
  countOpen,
  inputOf,
  longLease,
  type Node,
  startNode,
  startProvider,
} from './nodes.ts'

const kills = Number(process.env.PARLEY_TEST_OWNER_KILLS ?? 2)

async function arrange(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const folder = temporaryFolder()
  const gate = Promise.withResolvers<void>()
  const asked: string[] = []
  const provider = await startProvider(async (messages) => {
    const text = inputOf(messages)!
    asked.push(text)
    // only the first request of each input has to wait
    if (asked.filter((other) => other === text).length === 1) await gate.promise
    return { text: `answer to ${text}` }
  })
  const journal = join(folder.path, 'journal')
  writeFileSync(journal, '')
  const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
  const store = await database.open(systemClock)
  return {
    database,
    store,
    storage,
    provider,
    asked,
    gate,
    start: () => startNode('chat-node.ts', provider.url, journal, storage, longLease),
    /** A turn whose model has been asked and does not answer yet. */
    async begin(node: Awaited<ReturnType<typeof startNode>>, text: string) {
      const begun = await beginTurn(node, text)
      await expect.poll(() => asked).toContain(text)
      return begun
    },
    textsOf: async (sessionId: string) =>
      (await store.listMessages('default', sessionId, { limit: 10 })).map(({ role, parts }) => [
        role,
        parts.findLast(({ type }) => type === 'text')?.text,
      ]),
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await store.close()
      await provider[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Resolves when a turn goes on that was interrupted before it had said anything. */
async function firstWords({ line: url }: Node, { sessionId, runId }: BegunTurn): Promise<void> {
  const { sessions } = createClient({ baseUrl: url })
  for await (const { events } of sessions.observe(sessionId, { run: runId }))
    if (events.some(({ chunk }) => chunk.type === 'text-delta')) return
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1]!)} ms`
  return `median ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`
}

describe.each(databases)('a process that executes runs on %s', (name, openDatabase) => {
  it(`is known to be gone when it was killed: the next one resumes its turns, ${kills} times`, async () => {
    await using test = await arrange(openDatabase)
    const begun = []
    const tookMs: number[] = []
    let node = await test.start()
    for (let kill = 1; kill <= kills; kill++) {
      const turn = await test.begin(node, `input ${kill}`)
      begun.push({ text: `input ${kill}`, ...turn })
      await node.kill()
      node = await test.start()
      const ready = performance.now()
      await firstWords(node, turn)
      tookMs.push(performance.now() - ready)
    }
    await expect.poll(() => countOpen(test.store)).toBe(0)
    process.stdout.write(
      `${name}: ${kills} interrupted turns, from ready to their next words: ${spread(tookMs)}\n`,
    )
    for (const { text, sessionId, runId } of begun) {
      expect(await test.textsOf(sessionId)).toEqual([
        ['user', text],
        ['assistant', `answer to ${text}`],
      ])
      expect(await test.store.getRun('default', runId)).toMatchObject({ status: 'completed' })
    }
  })

  it('is known to be gone before anybody takes its turns: who observes one is told', async () => {
    await using test = await arrange(openDatabase)
    const node = await test.start()
    const { sessionId, runId } = await test.begin(node, 'input 1')
    await node.kill()
    // the database notices a moment later
    await expect.poll(() => test.store.isRunLeft(runId)).toBe(true)
    await using reader = await createParley({ ...toOptions(test.database), takesUpRuns: false })
    const seen: RunEvent[] = []
    for await (const { events } of reader.sessions.observe(sessionId)) {
      seen.push(...events)
      if (seen.some(({ chunk }) => chunk.type === 'data-resuming')) break
    }
    // where it stands: whoever asks for what comes after it misses nothing
    const last = seen.pop()!
    expect([last.chunk, last.seq]).toEqual([resuming, seen.at(-1)?.seq ?? 0])
    expect(await test.store.getRun('default', runId)).toMatchObject({ status: 'running', attempt: 1 })
  })

  it('keeps its turns while it hangs, though others look for those that are gone', async () => {
    await using test = await arrange(openDatabase)
    const [hanging, killed] = [await test.start(), await test.start()]
    const kept = await test.begin(hanging, 'input 1')
    const left = await test.begin(killed, 'input 2')
    hanging.child.kill('SIGSTOP')
    await killed.kill()
    await test.start()
    await expect
      .poll(() => test.store.getRun('default', left.runId))
      .toMatchObject({ status: 'completed', attempt: 2 })
    expect(await test.store.getRun('default', kept.runId)).toMatchObject({ status: 'running', attempt: 1 })
    hanging.child.kill('SIGCONT')
    test.gate.resolve()
    expect(await kept.response.text()).toMatch(/\[DONE\]\n\n$/)
    expect(await test.store.getRun('default', kept.runId)).toMatchObject({ status: 'completed', attempt: 1 })
  })
})

it.each(databases)(
  'an agent of a program on %s that was killed leaves its session free for others at once',
  async (_, openDatabase) => {
    await using test = await arrange(openDatabase)
    const node = await startNode('agent-node.ts', test.provider.url, test.storage, longLease)
    const sessionId = node.line
    await expect.poll(() => test.asked).toContain('input 1')
    await node.kill()
    const server = await test.start()
    await expect.poll(() => countOpen(test.store)).toBe(0)
    const { items } = await test.store.listRuns('default', { sessionId, limit: 10 })
    expect(items).toMatchObject([{ kind: 'agent', status: 'interrupted', attempt: 2 }])
    const { sessions } = createClient({ baseUrl: server.line })
    expect((await sessions.chat(sessionId, 'input 1 again')).run.status).toBe('completed')
  },
)

/** How many processes are known as alive: locks in the database, or files in the folder that they lie in. */
async function countOwners({ environment }: TestDatabase): Promise<number> {
  if (environment.DATABASE_URL === undefined) {
    const folder = join(environment.PARLEY_DATA_DIR!, 'owners')
    return existsSync(folder) ? readdirSync(folder).length : 0
  }
  const admin = new Client({ connectionString: environment.DATABASE_URL })
  await admin.connect()
  const { rows } = await admin.query(
    `select from pg_locks where locktype = 'advisory' and classid = 4127003 and granted
      and database = (select oid from pg_database where datname = current_database())`,
  )
  await admin.end()
  return rows.length
}

it.each(databases)(
  'a program on %s that takes up no runs has no lock before its first',
  async (_, openDatabase) => {
    await using database = await openDatabase()
    {
      await using parley = await createParley({ ...toOptions(database), takesUpRuns: false })
      const { id } = await parley.sessions.create({ title: 'Read' })
      await parley.sessions.list()
      await parley.sessions.delete(id)
      expect(await countOwners(database)).toBe(0)
      const session = await parley.sessions.create({ title: 'Asked' })
      for (const content of ['one', 'two']) {
        const { run } = await parley.sessions.chat(session.id, { content: `long 1\n${content}` })
        expect(run.status).toBe('completed')
      }
      expect(await countOwners(database)).toBe(1)
    }
    expect(await countOwners(database)).toBe(0)
    await using parley = await createParley(toOptions(database))
    expect(await countOwners(database)).toBe(1)
    await parley.close()
  },
)

it('an owner on PostgreSQL takes its lock again whenever its connection is ended', async () => {
  await using database = await postgresDatabase()
  await using store = await database.open(systemClock)
  const lock = (await store.holdOwner('kept')).split('~')[1]
  const admin = new Client({ connectionString: database.environment.DATABASE_URL })
  await admin.connect()
  const holders = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid::text = $1 and granted`,
      [lock],
    )
    return rows.map(({ pid }) => pid)
  }
  let pid = (await holders())[0]!
  for (let times = 0; times < 3; times++) {
    const before = pid
    await admin.query('select pg_terminate_backend($1)', [before])
    await expect.poll(async () => (pid = (await holders())[0] ?? before) !== before).toBe(true)
  }
  await admin.end()
})
