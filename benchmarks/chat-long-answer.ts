import { median, type Bench } from './bench.ts'
import { withProcesses } from './chat/process.ts'
import { startSides } from './chat/sides.ts'
import { turn } from './chat/turns.ts'

const chunks = 20_000
const rounds = 7

/** One answer of 20,000 chunks from the request to the last byte: Parley, and Hono with streamText. */
export const chatLongAnswer: Bench = {
  name: 'chat-long-answer',
  run: () =>
    withProcesses(async (start, folder) => {
      const servers = await startSides(start, folder, ['stream-text', 'parley'], `bench-${chunks}`)
      const sides = Object.values(servers).map((server) => ({ server, times: [] as number[] }))
      for (let round = -1; round < rounds; round++)
        for (const { server, times } of sides) {
          const [url] = await server.open(1)
          const { totalMs } = await turn(url!, chunks)
          // the first round only warms up
          if (round >= 0) times.push(totalMs)
        }
      const [streamText, parley] = sides.map(({ times }) => median(times)) as [number, number]
      return [
        { what: `(b) Hono and streamText: an answer of ${chunks} chunks`, value: streamText, unit: 'ms' },
        { what: `Parley: an answer of ${chunks} chunks`, value: parley, unit: 'ms' },
        { what: 'Parley to (b)', value: parley / streamText, unit: '×', goal: { max: 1 } },
      ]
    }),
}
