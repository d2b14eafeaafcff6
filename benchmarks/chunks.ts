import { median, type Bench } from './bench.ts'
import { withProcesses } from './chat/process.ts'
import { sideNames, startSides, type Side } from './chat/sides.ts'
import { measureTurns } from './chat/turns.ts'

const kinds = Object.keys(sideNames) as Side[]
const streams = 64
const chunksPerAnswer = 50
const turnsPerRound = 4 * streams
const rounds = 3

/** 64 answers at once that come as a model writes them, a chunk every 20 ms: CPU for each chunk, their turns included. */
export const chunks: Bench = {
  name: 'chunks',
  run: ({ turns = turnsPerRound }) =>
    withProcesses(
      async (start, folder) => {
        const servers = await startSides(start, folder, kinds, `bench-${chunksPerAnswer}-paced`)
        const used = new Map<Side, number[]>(kinds.map((kind) => [kind, []]))
        const turnsEach = Math.max(1, Math.round(turns / streams))
        for (let round = -1; round < rounds; round++)
          for (const kind of kinds) {
            const { program, open } = servers[kind]
            const { cpuMs } = await measureTurns(program, { urls: await open(streams), turnsEach })
            // the first round only warms up
            if (round >= 0) used.get(kind)!.push((cpuMs * 1_000) / chunksPerAnswer)
          }
        const cpu = (kind: Side) => median(used.get(kind)!)
        return [
          ...kinds.map((kind) => ({
            what: `${sideNames[kind]}: CPU of a chunk, ${streams} streams`,
            value: cpu(kind),
            unit: 'µs',
          })),
          {
            what: 'CPU of a chunk, Parley to (c)',
            value: cpu('parley') / cpu('do-stream'),
            unit: '×',
            goal: { max: 0.9 },
          },
        ]
      },
      { apart: true },
    ),
}
