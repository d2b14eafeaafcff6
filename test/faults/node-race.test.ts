import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createParley } from '../../src/parley.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import type { Run } from '../../src/core/store/queries/run-row.ts'
import { createMeeting } from '../gates.ts'
import { postgresDatabase, temporaryFolder, toOptions } from '../harness.ts'
import { countOpen, noteAndHandIn, readJournal, startNode, startProvider } from './nodes.ts'

const count = Number(process.env.PARLEY_TEST_RACED ?? 40)
const nodeCount = 4
/** Of the nodes; see journal-node.ts. */
const maxGlobal = 20

it(`${nodeCount} nodes do ${count} queued tasks once each, ${maxGlobal} at a time at most, in their order`, async () => {
  await using database = await postgresDatabase()
  using folder = temporaryFolder()
  // more than one each of the first are done at once, however slow the nodes are
  const meet = createMeeting(nodeCount + 1)
  await using provider = await startProvider(async (messages) => {
    await meet()
    return noteAndHandIn(messages, 'step').reply
  })
  const journal = join(folder.path, 'journal')
  writeFileSync(journal, '')
  {
    await using parley = await createParley({
      ...toOptions(database),
      models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: provider.url } },
      background: { overLimit: 'queue', maxGlobal: 0, maxQueued: count },
      takesUpRuns: false,
    })
    for (let number = 1; number <= count; number++)
      await parley.background.trigger('default', { prompt: `step ${number} of t1.` }, { triggerType: 'api' })
  }
  const url = database.environment.DATABASE_URL!
  // nobody dies here: one that is slow must not be taken for dead
  const start = () => startNode('journal-node.ts', provider.url, journal, url, '60000')
  const nodes = await Promise.all(Array.from({ length: nodeCount }, start))
  await using store = await database.open(systemClock)
  await expect.poll(() => countOpen(store), { timeout: 300_000, interval: 200 }).toBe(0)
  await Promise.all(nodes.map(({ kill }) => kill()))

  const effects = readJournal(journal)
  expect(effects.size).toBe(count)
  expect([...effects].filter(([, times]) => times > 1)).toEqual([])
  const runs: Run[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await store.listRuns('default', { limit: 200, cursor })
    runs.push(...page.items)
    cursor = page.nextCursor
  }
  expect(new Set(runs.map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(new Set(['completed 1']))
  const most = mostAtOnce(runs)
  expect(most).toBeLessThanOrEqual(maxGlobal)
  expect(most, 'they did it one after another').toBeGreaterThan(nodeCount)
  // who was asked for first begins first; each node may have looked at the same page of them
  const begun = runs.toSorted((a, b) => a.startedAt! - b.startedAt!).map(({ createdAt }) => createdAt)
  const asked = begun.toSorted((a, b) => a - b)
  const ahead = begun.map((time, place) => asked.indexOf(time) - place)
  process.stdout.write(
    `${count} tasks by ${nodeCount} nodes: each once, ${most} at once at most, none more than ${Math.max(...ahead)} places before its turn\n`,
  )
  expect(Math.max(...ahead)).toBeLessThanOrEqual(nodeCount * maxGlobal)
}, 360_000)

/** By the clock of the database. */
function mostAtOnce(runs: readonly Run[]): number {
  const changes = runs.flatMap(({ startedAt, finishedAt }) => [
    [startedAt!, 1],
    [finishedAt!, -1],
  ]) as [number, number][]
  // within one millisecond an end comes before a beginning
  changes.sort(([a, up], [b, other]) => a - b || up - other)
  let now = 0
  return Math.max(...changes.map(([, change]) => (now += change)))
}
