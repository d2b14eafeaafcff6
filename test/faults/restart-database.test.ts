import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import { openPostgres } from '../../src/core/store/postgres/open.ts'
import type { Run } from '../../src/core/store/queries/run-row.ts'
import { createStore, type Store } from '../../src/core/store/store.ts'
import { builtInSlices } from '../built-in.ts'
import { temporaryFolder } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import {
  countOpen,
  delivered,
  doTask,
  doTurn,
  post,
  readJournal,
  startNode,
  startProvider,
  type Node,
} from './nodes.ts'

/** Each takes some ten seconds. */
const stops = Number(process.env.PARLEY_TEST_DATABASE_STOPS ?? 1)
const outageMs = Number(process.env.PARLEY_TEST_OUTAGE_MS ?? 4_000)
const nodeCount = 3
const chatsPerNode = 2

it(
  `${nodeCount} nodes lose nothing and repeat nothing over ${stops} restarts of PostgreSQL, and go on by themselves`,
  async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    using folder = temporaryFolder()
    // slow enough that turns are always under way
    await using provider = await startProvider(
      (messages, isTask) => (isTask ? doTask(messages) : doTurn(messages)),
      { frameMs: 40 },
    )
    const journal = join(folder.path, 'journal')
    writeFileSync(journal, '')
    const ids = createIds(systemClock)
    // before the nodes take the CPU: a connection is not waited for for long
    await using store = await createStore(openPostgres({ url: postgres.url, poolSize: 5 }), {
      clock: systemClock,
      ids,
      slices: builtInSlices,
    })
    const nodes = await Promise.all(
      Array.from({ length: nodeCount }, () => startNode('chat-node.ts', provider.url, journal, postgres.url)),
    )
    const load: Load = { isOver: false, count: 0, refusals: 0, repeats: 0, clients: [] }
    const working = nodes.flatMap(({ line: url }) => [
      ...Array.from({ length: chatsPerNode }, () => talk(url, load)),
      startTasks(url, load),
    ])
    const worked = Promise.all(working)
    const progress = () => load.clients.map(({ acknowledged }) => acknowledged.size)
    const everyoneGoesOn = async () => {
      const before = progress()
      await expect
        .poll(() => progress().every((count, client) => count >= before[client]! + 3), { timeout: 200_000 })
        .toBe(true)
    }
    await expect.poll(() => load.clients.length, { timeout: 200_000 }).toBe(working.length)

    for (let stop = 0; stop < stops; stop++) {
      await everyoneGoesOn()
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 5 }).toBeGreaterThan(nodeCount)
      await postgres.pause(stop % 2 === 0 ? 'immediate' : 'fast')
      // answered before it is back: nobody waits for that
      const [before] = await Promise.all([sleep(outageMs, load.refusals), ...nodes.map(probe)])
      await expect.poll(() => load.refusals).toBeGreaterThan(before)
      await postgres.resume()
      for (const { line: url } of nodes)
        await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 200_000 }).toBe(200)
    }
    await everyoneGoesOn()
    load.isOver = true
    await worked
    await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 200 }).toBe(0)
    for (const { child } of nodes) expect([child.exitCode, child.signalCode]).toEqual([null, null])
    await Promise.all(nodes.map(({ kill }) => kill()))

    const runs = await listRuns(store)
    expect(runs.filter(({ status }) => status !== 'completed')).toEqual([])
    let inputs = 0
    let tasks = 0
    for (const { sessionId, acknowledged, isParent } of load.clients) {
      if (isParent) {
        const results = await delivered(store, sessionId)
        const sorted = results.map(({ runId, output }) => [output, runId]).toSorted()
        expect(sorted, 'a result is lost or came twice').toEqual([...acknowledged].toSorted())
        expect(results.filter(({ status, source }) => status !== 'success' || source !== 'tool')).toEqual([])
        expect(await store.listInbox(sessionId)).toEqual([])
        tasks += results.length
      } else {
        const messages = await store.listMessages('default', sessionId, { limit: 10_000 })
        expect(
          messages.map(({ role, parts, metadata }) => (role === 'user' ? parts[0]!.text : metadata?.runId)),
          'an input or its answer is lost or there twice',
        ).toEqual([...acknowledged].flat())
        inputs += acknowledged.size
      }
    }
    const known = new Set(load.clients.flatMap(({ acknowledged }) => [...acknowledged.values()]))
    const wakes = runs.filter(({ id }) => !known.has(id))
    expect(
      wakes.filter(({ input }) => (input as { isWake?: true }).isWake !== true),
      'a run that nobody asked for',
    ).toEqual([])
    // a tool that cannot be repeated was not
    const effects = readJournal(journal)
    expect([...effects].filter(([, times]) => times > 1)).toEqual([])
    process.stdout.write(
      `${stops} restarts under ${nodeCount} nodes: ${inputs} inputs and ${tasks} tasks acknowledged, 0 lost, 0 twice, ${load.refusals} requests refused, ${load.repeats} streams taken up again, ${effects.size} effects\n`,
    )
  },
  240_000 + stops * 180_000,
)

interface Load {
  isOver: boolean
  /** Numbers what is asked for. */
  count: number
  refusals: number
  repeats: number
  clients: ClientRecord[]
}

/** What one client was promised: the run by the text of its input, or by the result that its task will have. */
interface ClientRecord {
  sessionId: string
  isParent: boolean
  acknowledged: Map<string, string>
}

async function openClient(url: string, load: Load, isParent: boolean): Promise<ClientRecord> {
  const { id } = (await (await post(`${url}/api/sessions`, {})).json()) as { id: string }
  const client = { sessionId: id, isParent, acknowledged: new Map<string, string>() }
  load.clients.push(client)
  return client
}

/** Says one thing after another, each until its answer was read to the end. */
async function talk(url: string, load: Load): Promise<void> {
  const client = await openClient(url, load, false)
  while (!load.isOver) {
    const content = `input ${++load.count}`
    const key = { 'idempotency-key': crypto.randomUUID() }
    for (let isAnswered = false; !isAnswered;) {
      const response = await post(`${url}/api/sessions/${client.sessionId}/chat`, { content }, key)
      if (!(await isAccepted(response, client, content, load))) continue
      // a stream may break off; the same request finds the same turn
      isAnswered = await response.text().then(
        (text) => text.endsWith('[DONE]\n\n'),
        () => false,
      )
      if (!isAnswered) load.repeats++
    }
  }
}

/** Starts tasks whose results go to a session of their own. */
async function startTasks(url: string, load: Load): Promise<void> {
  const client = await openClient(url, load, true)
  while (!load.isOver) {
    const number = ++load.count
    const body = {
      kind: 'background',
      prompt: `task number ${number}`,
      parentSessionId: client.sessionId,
      wake: true,
    }
    const key = { 'idempotency-key': crypto.randomUUID() }
    while (
      !(await isAccepted(await post(`${url}/api/sessions`, body, key), client, `result ${number}`, load))
    );
    await sleep(300)
  }
}

async function isAccepted(
  response: Response,
  { acknowledged }: ClientRecord,
  what: string,
  load: Load,
): Promise<boolean> {
  if (!response.ok) {
    await expectUnavailable(response)
    load.refusals++
    await sleep(200)
    return false
  }
  const runId = response.headers.get('x-parley-run')!
  expect(acknowledged.get(what) ?? runId, 'a repeated request began another run').toBe(runId)
  acknowledged.set(what, runId)
  return true
}

async function probe({ line: url }: Node): Promise<void> {
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  await expectUnavailable(await fetch(`${url}/api/sessions`))
  await expectUnavailable(await post(`${url}/api/sessions`, { title: 'During the outage' }))
}

async function expectUnavailable(response: Response): Promise<void> {
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { error: { code: 'store_unavailable' } },
  ])
}

async function listRuns(store: Store): Promise<Run[]> {
  const runs: Run[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await store.listRuns('default', { limit: 500, cursor })
    runs.push(...page.items)
    cursor = page.nextCursor
  }
  return runs
}
