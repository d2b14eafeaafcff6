import { join } from 'node:path'
import { median, type Bench } from './bench.ts'
import { startProvider, startServer, turn, withProcesses, type Server } from './chat/process.ts'

const chunks = 20_000
const rounds = 7

/** One answer of 20,000 chunks from the request to the last byte: Parley, and Hono with streamText. */
export const chatLongAnswer: Bench = {
  name: 'chat-long-answer',
  run: () =>
    withProcesses(async (start, folder) => {
      const providerUrl = await startProvider(start)
      const startKind = (kind: string) =>
        startServer(start, [kind, providerUrl, join(folder, kind), `--model=bench-${chunks}`])
      const sides = [
        { server: await startKind('stream-text'), times: [] as number[] },
        { server: await startKind('parley'), times: [] as number[] },
      ]
      for (let round = -1; round < rounds; round++)
        for (const { server, times } of sides) {
          const time = await answer(server)
          // the first round only warms up
          if (round >= 0) times.push(time)
        }
      const [streamText, parley] = sides.map(({ times }) => median(times)) as [number, number]
      return [
        { what: `(b) Hono and streamText: an answer of ${chunks} chunks`, value: streamText, unit: 'ms' },
        { what: `Parley: an answer of ${chunks} chunks`, value: parley, unit: 'ms' },
        { what: 'Parley to (b)', value: parley / streamText, unit: '×', goal: { max: 1 } },
      ]
    }),
}

async function answer(server: Server): Promise<number> {
  const { totalMs, text } = await turn(server.nextUrl())
  if (!text.includes(`word${chunks - 1} `)) throw new Error(`The answer is incomplete: ${text.slice(-300)}`)
  return totalMs
}
