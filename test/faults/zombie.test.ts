import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import type { Part } from '../../src/core/protocol/message.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { WireReply } from '../providers/provider-server.ts'
import { postgresDatabase, temporaryFolder } from '../harness.ts'
import {
  beginTurn,
  type BegunTurn,
  toolCall,
  countOpen,
  inputOf,
  readJournal,
  startNode,
  startProvider,
  type Node,
  type Said,
} from './nodes.ts'

const zombies = Number(process.env.PARLEY_TEST_ZOMBIES ?? 2)
const chats = 3
const notesPerTurn = 20
/** At any moment; with locks in its hands; at any moment, and back before the others are done. */
const manners = ['at any moment', 'in a transaction', 'back early'] as const

it(
  `a node that comes back after others did its work writes nothing more, ${zombies} times`,
  async () => {
    await using database = await postgresDatabase()
    using folder = temporaryFolder()
    // a turn does not come to its end before its node is stopped
    let stopped = Promise.withResolvers<void>()
    await using provider = await startProvider(async (messages) => {
      const reply = takeNotes(messages)
      if (reply.text !== undefined) await stopped.promise
      return reply
    })
    const journal = join(folder.path, 'journal')
    writeFileSync(journal, '')
    const url = database.environment.DATABASE_URL!
    const start = () => startNode('chat-node.ts', provider.url, journal, url)
    const nodes = [await start(), await start()]
    await using store = await database.open(systemClock)

    let count = 0
    let takenOver = 0
    for (let round = 0; round < zombies; round++) {
      const node = nodes[round % 2]!
      stopped = Promise.withResolvers<void>()
      const effectsBefore = readJournal(journal).size
      const turns = await Promise.all(
        Array.from({ length: chats }, () => beginTurn(node, `input ${++count}`)),
      )
      await expect
        .poll(() => readJournal(journal).size, { interval: 5, timeout: 200_000 })
        .toBeGreaterThan(effectsBefore + chats)
      const manner = manners[round % manners.length]
      if (manner === 'in a transaction') await freezeInTransaction(node, turns, url)
      else node.child.kill('SIGSTOP')
      stopped.resolve()
      const open = await countOpen(store)
      expect(open).toBeGreaterThan(0)
      takenOver += open
      if (manner === 'back early') {
        await expect.poll(() => isTakenOver(store, turns), { timeout: 200_000, interval: 5 }).toBe(true)
        node.child.kill('SIGCONT')
      }
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 100 }).toBe(0)

      const before = await Promise.all(turns.map((turn) => readTurn(store, turn)))
      node.child.kill('SIGCONT')
      // the streams of a node end when it has let go of the runs
      for (const { response } of turns) expect(await response.text()).toMatch(/\[DONE\]\n\n$/)
      expect(await (await beginTurn(node, `input ${++count}`)).response.text()).toMatch(/\[DONE\]\n\n$/)
      expect(await Promise.all(turns.map((turn) => readTurn(store, turn)))).toEqual(before)
      for (const { run, messages, steps, ends } of before) {
        expect(run).toMatchObject({ status: 'completed' })
        expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
        expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1))
        expect(ends).toHaveLength(1)
        checkEffects(messages[1]!.parts, readJournal(journal), run!.attempt - 1)
      }
    }
    process.stdout.write(
      `${zombies} zombies: ${takenOver} of ${zombies * chats} turns taken over, 0 written to later\n`,
    )
  },
  120_000 + zombies * 180_000,
)

/** Whether somebody else has begun to work on all that were not over. */
async function isTakenOver(store: Store, turns: BegunTurn[]): Promise<boolean> {
  const runs = await Promise.all(turns.map(({ runId }) => store.getRun('default', runId)))
  return runs.every((run) => run!.status !== 'running' || run!.attempt > 1)
}

/** A turn takes one note after another, every second of which may be repeated, then says that it is done. */
function takeNotes(messages: Said[]): WireReply {
  const text = inputOf(messages)!
  const taken = messages.filter(({ role }) => role === 'tool').length
  if (taken === notesPerTurn) return { text: `done with ${text}` }
  const name = taken % 2 === 0 ? 'note' : 'repeatable_note'
  return {
    toolCalls: [toolCall(`${text.replace('input ', 'call_')}_${taken}`, name, { text: String(taken) })],
  }
}

/** Stops the node in a transaction: it waits there for the rows of its runs, and gets them when it stands still. */
async function freezeInTransaction({ child }: Node, turns: BegunTurn[], url: string): Promise<void> {
  await using holder = await connect(url)
  await using watcher = await connect(url)
  const list = async (what: string) => {
    const { rows } = await watcher.client.query<{ xid: string }>(
      `select coalesce(backend_xid::text, '') as xid from pg_stat_activity
       where datname = current_database() and ${what}`,
    )
    return rows.map(({ xid }) => xid)
  }
  const isBlocked = `wait_event_type = 'Lock' and xact_start < query_start`
  const isHeld = `state = 'idle in transaction' and backend_xid is not null`
  const ids = turns.map(({ runId }) => runId)
  for (let isFrozen = false; !isFrozen;) {
    await holder.client.query('begin')
    // those that can be had at once: to wait for others with one in hand is a deadlock
    const { rowCount } = await holder.client.query(
      'select 1 from runs where id = any($1) for update skip locked',
      [ids],
    )
    if (rowCount! > 0)
      await expect.poll(async () => (await list(isBlocked)).length, { interval: 5 }).toBeGreaterThan(0)
    child.kill('SIGSTOP')
    await holder.client.query('rollback')
    await expect.poll(async () => (await list(isBlocked)).length, { interval: 5 }).toBe(0)
    // what another node was in goes on meanwhile
    const held = await list(isHeld)
    await sleep(100)
    const still = await list(isHeld)
    isFrozen = held.some((transaction) => still.includes(transaction))
    if (!isFrozen) child.kill('SIGCONT')
  }
}

async function connect(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** All that a run writes. */
async function readTurn(store: Store, { sessionId, runId }: BegunTurn) {
  const { last } = await store.getEventRange('default')
  const told = await store.listEvents('default', { after: 0, limit: last })
  return {
    run: await store.getRun('default', runId),
    messages: await store.listMessages('default', sessionId, { limit: 100 }),
    steps: await store.listRunSteps(runId),
    events: await store.listRunEvents(runId, { limit: 10_000 }),
    ends: told.filter(({ type, data }) => type === 'run-finished' && data.runId === runId),
  }
}

/** What was interrupted may have had its effect twice when that is allowed, and all else had it once. */
function checkEffects(parts: Part[], effects: Map<string, number>, interruptions: number): void {
  const calls = parts
    .filter(({ type }) => type === 'dynamic-tool')
    .map(({ toolCallId, toolName, input, state }) => ({
      isRepeatable: toolName === 'repeatable_note',
      isDone: state === 'output-available',
      times: effects.get(`${toolCallId as string} ${(input as { text: string }).text}`) ?? 0,
    }))
  expect(calls).toHaveLength(notesPerTurn)
  const once = calls.filter(({ isDone, times }) => isDone && times === 1)
  const twice = calls.filter(({ isRepeatable, isDone, times }) => isRepeatable && isDone && times === 2)
  const unknown = calls.filter(({ isRepeatable, isDone, times }) => !isRepeatable && !isDone && times <= 1)
  expect(once.length + twice.length + unknown.length, JSON.stringify(calls)).toBe(notesPerTurn)
  expect(twice.length + unknown.length).toBeLessThanOrEqual(interruptions)
}
