import { join } from 'node:path'
import { median, type Bench, type Figure } from './bench.ts'
import {
  measureTurns,
  startProvider,
  startServer,
  withProcesses,
  type Sample,
  type Server,
} from './chat/process.ts'

const atOnce = 16
const turnsPerRound = 400
const rounds = 5
// a server runs for days: what it costs before its code is compiled is not what it costs
const warmUps = 3

/**
 * A whole turn over HTTP against a provider that answers in 50 chunks, 16 at once, each server on one core:
 * (a) a handler that forwards the provider's bytes and appends two rows, (b) Hono and the AI SDK's streamText without
 * any storage, (c) the provider's doStream with the two appends of (a), and Parley with its whole turn.
 */
export const chat: Bench = {
  name: 'chat',
  run: () =>
    withProcesses(async (start, folder) => {
      const providerUrl = await startProvider(start)
      const kinds = ['forward', 'stream-text', 'do-stream', 'parley'] as const
      const servers = new Map<string, Server>()
      for (const kind of kinds)
        servers.set(kind, await startServer(start, [kind, providerUrl, join(folder, kind)]))
      const samples = new Map<string, Sample[]>(kinds.map((kind) => [kind, []]))
      for (let round = -warmUps; round < rounds; round++)
        for (const kind of kinds) {
          const sample = await measureTurns(servers.get(kind)!, { turns: turnsPerRound, atOnce })
          if (round >= 0) samples.get(kind)!.push(sample)
        }
      return report(samples)
    }),
}

function report(samples: Map<string, Sample[]>): Figure[] {
  const cpu = (kind: string) => median(samples.get(kind)!.map(({ cpuMs }) => cpuMs))
  const first = (kind: string) => median(samples.get(kind)!.map(({ firstMs }) => firstMs))
  return [
    { what: '(a) forwards bytes, two appends: CPU of a turn', value: cpu('forward'), unit: 'ms' },
    { what: '(b) Hono and streamText, no storage: CPU of a turn', value: cpu('stream-text'), unit: 'ms' },
    { what: '(c) doStream, two appends: CPU of a turn', value: cpu('do-stream'), unit: 'ms' },
    { what: 'Parley: CPU of a turn', value: cpu('parley'), unit: 'ms' },
    { what: 'Parley to (c)', value: cpu('parley') / cpu('do-stream'), unit: '×', goal: { max: 1.4 } },
    { what: 'Parley to (b)', value: cpu('parley') / cpu('stream-text'), unit: '×', goal: { max: 0.8 } },
    { what: '(b): time to the first delta', value: first('stream-text'), unit: 'ms' },
    { what: 'Parley: time to the first delta', value: first('parley'), unit: 'ms' },
    {
      what: 'time to the first delta, Parley to (b)',
      value: first('parley') / first('stream-text'),
      unit: '×',
      goal: { max: 1 },
    },
  ]
}
