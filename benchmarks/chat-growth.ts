import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { median, type Bench } from './bench.ts'
import { measureTurns, startProvider, startServer, withProcesses, type Server } from './chat/process.ts'

// the next input takes both logs over the limit of the window, so both are cut to the same length
const shortLog = 400
const longLog = 100_000
// as many turns as lie between two cuts of a full window, so that each round has one
const turnsPerRound = 80
const rounds = 5

/** CPU of a turn in a session that just fills its window, and in one with a log far longer than that. */
export const chatGrowth: Bench = {
  name: 'chat-growth',
  run: () =>
    withProcesses(async (start, folder) => {
      const providerUrl = await startProvider(start)
      const sides: { server: Server; first: number; turns: number[] }[] = []
      for (const prior of [shortLog, longLog]) {
        const args = ['parley', providerUrl, join(folder, `${prior}`), `--prior=${prior}`]
        const server = await startServer(start, args)
        await untilQuiet(server)
        sides.push({ server, first: await measure(server, 1), turns: [] })
      }
      for (let round = -1; round < rounds; round++)
        for (const { server, turns } of sides) {
          const cpuMs = await measure(server, turnsPerRound)
          // the first round only warms up
          if (round >= 0) turns.push(cpuMs)
        }
      const [short, long] = sides.map(({ turns }) => median(turns)) as [number, number]
      return [
        { what: `CPU of a turn after ${shortLog} messages`, value: short, unit: 'ms' },
        { what: `CPU of a turn after ${longLog} messages`, value: long, unit: 'ms' },
        { what: 'the long log to the short one', value: long / short, unit: '×', goal: { max: 1.15 } },
        // the process is cold in both
        { what: `CPU of the first turn, ${shortLog} messages`, value: sides[0]!.first, unit: 'ms' },
        { what: `CPU of the first turn, ${longLog} messages`, value: sides[1]!.first, unit: 'ms' },
      ]
    }),
}

const measure = async (server: Server, turns: number) =>
  (await measureTurns(server, { turns, atOnce: 1 })).cpuMs

/** What was imported is indexed for the search in the background. */
async function untilQuiet(server: Server): Promise<void> {
  for (let quiet = 0, before = await server.cpu(); quiet < 4;) {
    await sleep(500)
    const now = await server.cpu()
    quiet = now - before < 20 ? quiet + 1 : 0
    before = now
  }
}
