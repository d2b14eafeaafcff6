import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Bench, type Figure } from './bench.ts'
import { importSession } from './chat/parley.ts'
import { startProvider, withProcesses, type Program } from './chat/process.ts'
import { startParley, toChat, type Server } from './chat/sides.ts'
import { measureTurns, type Sample } from './chat/turns.ts'
import { usageOf } from './chat/usage.ts'

type Parley = Server & { url: string }

// both are far over the limit of the window, and are cut to the same length
const shortLog = 2_000
const longLog = 100_000
// as many turns as lie between two cuts of a full window, so that each round has one
const turnsPerRound = 80
const rounds = 5
// so many sessions at once go from 360 messages to 400, which fill the window, and from none to 40
const sessions = 16
const almostFull = 360
const turnsBefore = 10

/** What a turn costs after many messages beside few: in the log, and in the window. */
export const chatGrowth: Bench = {
  name: 'chat-growth',
  run: ({ turns = turnsPerRound }) =>
    withProcesses(
      async (start, folder) => {
        const providerUrl = await startProvider(start)
        const config = join(folder, 'parley.yaml')
        writeFileSync(config, 'limits: { bodyBytes: 200000000 }\n')
        const serve = (name: string) => startParley(start, { folder, name, providerUrl, config })
        return [
          ...(await compareLogs([await serve('short'), await serve('long')], turns)),
          ...(await compareWindows(await serve('window'))),
        ]
      },
      { apart: true },
    ),
}

async function compareLogs(servers: [Parley, Parley], turns: number): Promise<Figure[]> {
  const fresh: number[] = []
  const sides = await Promise.all(
    [shortLog, longLog].map(async (prior, index) => {
      const server = servers[index]!
      const urls = [toChat(server.url, await importSession(server.url, prior))]
      return { server, prior, urls, samples: [] as Sample[] }
    }),
  )
  const firsts: Sample[] = []
  for (const { server, urls } of sides) {
    await untilQuiet(server.program)
    firsts.push(await measureTurns(server.program, { urls, turnsEach: 1 }))
  }
  for (let round = -1; round < rounds; round++) {
    const [{ program, open }] = servers
    const inFresh = await measureTurns(program, { urls: await open(turns), atOnce: 1, turnsEach: 1 })
    // the first round only warms up
    if (round >= 0) fresh.push(inFresh.firstMs)
    for (const { server, urls, samples } of sides) {
      const sample = await measureTurns(server.program, { urls, turnsEach: turns })
      if (round >= 0) samples.push(sample)
    }
  }
  const of = (key: 'cpuMs' | 'firstMs') =>
    sides.map(({ samples }) => median(samples.map((sample) => sample[key]))) as [number, number]
  const [shortCpu, longCpu] = of('cpuMs')
  const [shortFirst, longFirst] = of('firstMs')
  const [short, long] = sides.map(({ prior }) => `after ${prior} messages`) as [string, string]
  const ratio = (value: number, max: number) => ({ value, unit: '×', goal: { max } })
  return [
    { what: 'first delta, fresh session', value: median(fresh), unit: 'ms' },
    { what: `first delta, ${short}`, value: shortFirst, unit: 'ms' },
    { what: `first delta, ${long}`, value: longFirst, unit: 'ms' },
    // not quite flat: a full window is sent, and in a fresh session there is none
    { what: `first delta, ${short}, to a fresh session`, ...ratio(shortFirst / median(fresh), 1.25) },
    { what: 'first delta, the long log to the short one', ...ratio(longFirst / shortFirst, 1.15) },
    { what: `CPU of a turn, ${short}`, value: shortCpu, unit: 'ms' },
    { what: `CPU of a turn, ${long}`, value: longCpu, unit: 'ms' },
    { what: 'CPU of a turn, the long log to the short one', ...ratio(longCpu / shortCpu, 1.15) },
    // the process is cold in both
    { what: `CPU of the first turn, ${short}`, value: firsts[0]!.cpuMs, unit: 'ms' },
    { what: `CPU of the first turn, ${long}`, value: firsts[1]!.cpuMs, unit: 'ms' },
  ]
}

async function compareWindows({ program, url, open }: Parley): Promise<Figure[]> {
  // a server takes few long imports at once
  const importAll = async () => {
    const urls: string[] = []
    while (urls.length < sessions) urls.push(toChat(url, await importSession(url, almostFull)))
    return urls
  }
  const sides = [
    { open: () => open(sessions), cpu: [] as number[] },
    { open: importAll, cpu: [] as number[] },
  ]
  for (let round = -1; round < rounds; round++)
    for (const side of sides) {
      const urls = await side.open()
      await untilQuiet(program)
      // what a session does for the first time is not what is compared
      await measureTurns(program, { urls, turnsEach: turnsBefore })
      const { cpuMs } = await measureTurns(program, { urls, turnsEach: turnsBefore })
      if (round >= 0) side.cpu.push(cpuMs)
    }
  const [few, full] = sides.map(({ cpu }) => median(cpu)) as [number, number]
  return [
    { what: 'CPU of a turn, 20 to 40 messages in the window', value: few, unit: 'ms' },
    { what: 'CPU of a turn, 380 to 400 messages in the window', value: full, unit: 'ms' },
    { what: 'CPU of a turn, the full window to the other', value: full / few, unit: '×', goal: { max: 1.5 } },
  ]
}

/** What was imported is indexed for the search in the background. */
async function untilQuiet(program: Program): Promise<void> {
  for (let quiet = 0, before = usageOf(program).cpuMs; quiet < 4;) {
    await sleep(500)
    const now = usageOf(program).cpuMs
    quiet = now - before < 20 ? quiet + 1 : 0
    before = now
  }
}
