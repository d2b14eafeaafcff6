import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createObserverRegistry } from '../src/core/runs/observers.ts'
import { median, type Bench, type Figure } from './bench.ts'

const spawns = 50
const tasks = 300
const chunks = 200_000

/** What a task costs before it does anything, how many can be done, and what it costs to be watched. */
export const background: Bench = {
  name: 'background',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    try {
      const figures = await measureTasks('SQLite', { dataDir: folder })
      const { DATABASE_URL: databaseUrl } = process.env
      if (databaseUrl) figures.push(...(await measureTasks('PostgreSQL', { databaseUrl })))
      return [...figures, ...(await measureDispatch())]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

/** Hands in a result at once, and tells when it was first asked. */
function createWorker(onCall: () => void): ModelAdapter {
  return {
    id: 'bench/worker',
    async *stream() {
      onCall()
      const input = JSON.stringify({ output: 'done' })
      yield { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: 'set_result', input }
      yield { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } }
    },
  }
}

async function measureTasks(name: string, storage: ParleyOptions): Promise<Figure[]> {
  let called = 0
  const worker = createWorker(() => (called = performance.now()))
  await using parley = await createParley({
    ...storage,
    models: { model: 'bench/worker', extra: { bench: () => worker } },
    background: { overLimit: 'queue' },
  })
  const start = (prompt: string) => parley.background.trigger('default', { prompt }, { triggerType: 'api' })
  const waits: number[] = []
  for (let index = 0; index < spawns; index++) {
    const begun = performance.now()
    const { promise } = await start(`warm ${index}`)
    await promise
    waits.push(called - begun)
  }
  const begun = performance.now()
  const started = await Promise.all(Array.from({ length: tasks }, (_, index) => start(`task ${index}`)))
  await Promise.all(started.map(({ promise }) => promise))
  const seconds = (performance.now() - begun) / 1_000
  return [
    { what: `${name}: from a spawn to its first step`, value: median(waits), unit: 'ms' },
    { what: `${name}: tasks, ten at a time`, value: tasks / seconds, unit: '/s' },
  ]
}

async function measureDispatch(): Promise<Figure[]> {
  const cost = async (observers: number) => {
    const registry = createObserverRegistry({ observe: async () => undefined, onError: () => {} })
    registry.startSession('s')
    for (let index = 0; index < observers; index++) await registry.register('s', { onEvents: () => {} })
    const begun = performance.now()
    for (let index = 0; index < chunks; index++) {
      registry.dispatch('s', { type: 'text-delta', id: 't', delta: 'x' })
      // observers get their turn, as they do between the deltas of a model
      if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
    }
    registry.clear()
    return ((performance.now() - begun) * 1_000) / chunks
  }
  await cost(0)
  const [none, one, many] = [await cost(0), await cost(1), await cost(100)]
  return [
    { what: 'dispatch, nobody watches', value: none, unit: 'µs' },
    { what: 'dispatch, one observer', value: one, unit: 'µs' },
    { what: 'dispatch, 100 observers', value: many, unit: 'µs' },
  ]
}
