import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { Bench, Figure } from './bench.ts'

const runs = 100
const stepsPerRun = 10

/** How fast workflows go, and what a step costs beside what its task would cost alone. */
export const workflow: Bench = {
  name: 'workflow',
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

const worker: ModelAdapter = {
  id: 'bench/worker',
  async *stream() {
    const input = JSON.stringify({ output: 'done' })
    yield { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: 'set_result', input }
    yield { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

const definition = (type: 'agent' | 'transform') =>
  stringify({
    name: `bench ${type}`,
    steps: Array.from({ length: stepsPerRun }, (_, index) => ({
      id: `s${index + 1}`,
      type,
      ...(type === 'agent' ? { prompt: 'do it' } : { transform: '$prev.output.' }),
    })),
  })

async function measure(name: string, storage: ParleyOptions): Promise<Figure[]> {
  await using parley = await createParley({
    ...storage,
    models: { model: 'bench/worker', extra: { bench: () => worker } },
    background: { overLimit: 'queue', maxQueued: 10_000 },
  })
  const steps = runs * stepsPerRun
  await runAll(parley, 'agent', 10)
  await doTasks(parley, 100)
  const alone = await timed(() => doTasks(parley, steps))
  const flow = await timed(() => runAll(parley, 'agent', runs))
  const plain = await timed(() => runAll(parley, 'transform', runs))
  return [
    {
      what: `${name}: steps of ${runs} runs at once, ten at a time`,
      value: steps / flow.seconds,
      unit: '/s',
    },
    { what: `${name}: CPU of a step`, value: flow.cpuMs / steps, unit: 'ms' },
    { what: `${name}: CPU of its task alone`, value: alone.cpuMs / steps, unit: 'ms' },
    {
      what: `${name}: what the engine adds to it`,
      value: (flow.cpuMs - alone.cpuMs) / steps,
      unit: 'ms',
      goal: { max: 2 },
    },
    { what: `${name}: CPU of a step without a model`, value: plain.cpuMs / steps, unit: 'ms' },
  ]
}

async function timed(work: () => Promise<void>): Promise<{ seconds: number; cpuMs: number }> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - begun) / 1_000, cpuMs: (user + system) / 1_000 }
}

async function doTasks({ background }: Parley, count: number): Promise<void> {
  const start = (index: number) =>
    background.trigger('default', { prompt: `task ${index}` }, { triggerType: 'api' })
  const started = await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  await Promise.all(started.map(({ promise }) => promise))
}

async function runAll(parley: Parley, type: 'agent' | 'transform', count: number): Promise<void> {
  const text = definition(type)
  const started = await Promise.all(Array.from({ length: count }, () => parley.workflows.start({ text })))
  const ended = await Promise.all(
    started.map(async ({ id }) => {
      const run = await parley.store.getRun('default', id)
      return (await parley.chats.answerOf(run!, new AbortController().signal)).run.status
    }),
  )
  if (ended.some((status) => status !== 'completed')) throw new Error('A run of the benchmark failed.')
}
