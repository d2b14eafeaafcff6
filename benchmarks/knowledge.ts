import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { KnowledgeQuery } from '../src/extensions/knowledge/protocol/knowledge.ts'
import { median, type Bench, type Figure } from './bench.ts'

const triples = 100_000
const entities = 40_000
const perImport = 10_000
const rounds = 30

/** What a question costs in a graph of 100,000 triples, also where a thing has as many relations as that. */
export const knowledge: Bench = {
  name: 'knowledge',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    try {
      const figures = await measure('SQLite', { dataDir: folder })
      const { DATABASE_URL: databaseUrl } = process.env
      return databaseUrl ? [...figures, ...(await measure('PostgreSQL', { databaseUrl }))] : figures
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

/** The same numbers in every run. */
function createNumbers(seed = 1): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const predicates = ['inhibits', 'activates', 'binds to', 'is part of', 'regulates', 'is found in']
const nameOf = (index: number) => `gene ${index % 200} variant ${Math.floor(index / 200)}`

async function measure(name: string, storage: ParleyOptions): Promise<Figure[]> {
  await using parley = await createParley({ ...storage, takesUpRuns: false })
  const next = createNumbers()
  const seconds = await fill(parley, 'graph', () => ({
    subject: nameOf(next(entities)),
    predicate: predicates[next(predicates.length)]!,
    object: nameOf(next(entities)),
    evidence: `Shown in study ${next(5_000)}.`,
  }))
  await fill(parley, 'hub', (index) => ({ subject: 'the hub', predicate: 'knows', object: nameOf(index) }))
  const ask = (question: KnowledgeQuery) => timeOf(parley, question)
  const about = (index: number) => `What does ${nameOf(index * 97)} do to ${nameOf(index * 89 + 5)}?`
  return [
    { what: `${name}: triples imported`, value: triples / seconds, unit: '/s' },
    {
      what: `${name}: a question, one hop`,
      value: await ask({ query: about(1) }),
      unit: 'ms',
      goal: { max: name === 'SQLite' ? 50 : 150 },
    },
    { what: `${name}: a question, two hops`, value: await ask({ query: about(2), hops: 2 }), unit: 'ms' },
    {
      what: `${name}: a question of common words only`,
      value: await ask({ query: 'which gene variant regulates or inhibits' }),
      unit: 'ms',
    },
    {
      what: `${name}: a question about a hub of ${triples.toLocaleString('en')} relations`,
      value: await ask({ query: 'the hub', hops: 2 }),
      unit: 'ms',
    },
    {
      what: `${name}: a focus that is only a part of names`,
      value: await ask({ query: 'anything', focus_entities: ['iant 17'] }),
      unit: 'ms',
    },
  ]
}

async function fill(
  { knowledge: api }: Parley,
  source: string,
  make: (index: number) => { subject: string; predicate: string; object: string; evidence?: string },
): Promise<number> {
  const begun = performance.now()
  for (let start = 0; start < triples; start += perImport)
    await api.import({
      source: `${source} ${start}`,
      triples: Array.from({ length: perImport }, (_, index) => make(start + index)),
    })
  return (performance.now() - begun) / 1_000
}

async function timeOf({ knowledge: api }: Parley, question: KnowledgeQuery): Promise<number> {
  const times: number[] = []
  for (let round = -3; round < rounds; round++) {
    const begun = performance.now()
    const { triples: found } = await api.query(question)
    if (found.length === 0) throw new Error(`Nothing was found for ${question.query}.`)
    // the first rounds only warm up
    if (round >= 0) times.push(performance.now() - begun)
  }
  return median(times)
}
