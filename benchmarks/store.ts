import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { createStore } from '../src/core/store/store.ts'
import { builtInSlices } from '../test/built-in.ts'
import { compare, type Bench, type Figure } from './bench.ts'

const scope = 'default'
const parts = [{ type: 'text', text: 'A message of some three hundred characters. '.repeat(7) }]
const longLog = 100_000

/** Append and tail-read, every append synced to disk, against prepared statements of the driver itself. */
export const store: Bench = {
  name: 'store',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    try {
      return await measure(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function measure(folder: string): Promise<Figure[]> {
  const ids = createIds(systemClock)
  const raw = openRaw(join(folder, 'raw.db'))
  const backend = openSqlite(
    { file: join(folder, 'parley.db'), synchronous: 'FULL', busyTimeoutMs: 5_000 },
    systemClock,
  )
  await using parley = await createStore(backend, { clock: systemClock, ids, slices: builtInSlices })
  await parley.ensureScope(scope)
  const short = await parley.createSession({ scope })
  const long = await parley.createSession({ scope })
  for (let done = 0; done < longLog; done += 1_000)
    await parley.appendMessages(
      scope,
      long.id,
      Array.from({ length: 1_000 }, () => ({ role: 'user' as const, parts })),
    )

  const append = (id: string) => () => parley.appendMessages(scope, id, [{ role: 'user', parts }])
  const appends = await compare(
    {
      raw: (index) =>
        raw.append('session', index + 1, ids.next('msg'), 'user', JSON.stringify(parts), null, Date.now()),
      short: append(short.id),
      long: append(long.id),
    },
    { rounds: 15, perRound: 200 },
  )
  const tail = (id: string) => () => parley.listMessages(scope, id, { limit: 20 })
  const tails = await compare(
    { raw: () => raw.tail('session'), short: tail(short.id), long: tail(long.id) },
    { rounds: 15, perRound: 200 },
  )
  raw.close()
  const ratio = { min: 0.5 }
  return [
    { what: 'raw driver: appends', value: appends.raw!, unit: '/s' },
    { what: 'Parley: appends', value: appends.short!, unit: '/s' },
    { what: 'appends, Parley to raw', value: appends.short! / appends.raw!, unit: '×', goal: ratio },
    { what: 'raw driver: reads of the last 20', value: tails.raw!, unit: '/s' },
    { what: 'Parley: reads of the last 20', value: tails.short!, unit: '/s' },
    { what: 'reads, Parley to raw', value: tails.short! / tails.raw!, unit: '×', goal: ratio },
    {
      what: `appends after ${longLog} messages, to an empty log`,
      value: appends.long! / appends.short!,
      unit: '×',
      goal: { min: 0.8 },
    },
    {
      what: `reads after ${longLog} messages, to an empty log`,
      value: tails.long! / tails.short!,
      unit: '×',
      goal: { min: 0.8 },
    },
  ]
}

/** The same table and the same settings, nothing else. */
function openRaw(file: string) {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE messages (session_id TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL,
      parts TEXT NOT NULL, metadata TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq), UNIQUE (session_id, id));
  `)
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)')
  const select = database.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 20')
  return {
    append: (...values: (string | number | null)[]) => insert.run(...values),
    tail: (sessionId: string) =>
      select.all(sessionId).map((row) => ({ ...row, parts: JSON.parse(row.parts as string) })),
    close: () => database.close(),
  }
}
