import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Bench, type Figure } from './bench.ts'
import { serveParley } from './chat/parley.ts'
import { programFile, startProvider, withProcesses } from './chat/process.ts'
import { sideNames, startSides, type Server } from './chat/sides.ts'
import { measureTurns } from './chat/turns.ts'
import { usageOf } from './chat/usage.ts'

const starts = 5
const atOnce = 64
const allTurns = 10_000
const minute = 60_000
const mebibyte = 2 ** 20

/** The server as one starts it: its first start, its memory; and the heap after thousands of sessions. */
export const chatMemory: Bench = {
  name: 'chat-memory',
  run: async ({ turns = allTurns }) => [
    { what: 'first start, until it is ready', value: await measureStart(), unit: 'ms', goal: { max: 600 } },
    ...(await measureMemory(Math.max(1, Math.round(turns / atOnce)))),
    ...(await measureHeap()),
  ],
}

const measureStart = (): Promise<number> =>
  withProcesses(async (start, folder) => {
    const providerUrl = await startProvider(start)
    const times: number[] = []
    for (let round = -1; round < starts; round++) {
      const began = performance.now()
      const { program } = await serveParley(start, { folder, name: `start-${round}`, providerUrl })
      const startMs = performance.now() - began
      // the first one fills the compile cache, a moment after it has started
      if (round < 0) await sleep(2_000)
      await program.end()
      if (round >= 0) times.push(startMs)
    }
    return median(times)
  })

/** Of Parley, and beside it of (c). */
const measureMemory = (turnsEach: number): Promise<Figure[]> =>
  withProcesses(
    async (start, folder) => {
      const servers = await startSides(start, folder, ['do-stream', 'parley'])
      const measure = async ({ program, open }: Server) => {
        await sleep(1_000)
        const idle = usageOf(program).memoryMiB
        const { memoryMiB } = await measureTurns(program, { urls: await open(atOnce), turnsEach })
        await sleep(minute)
        return { idle, used: memoryMiB.last, later: usageOf(program).memoryMiB }
      }
      const other = await measure(servers['do-stream'])
      const parley = await measure(servers.parley)
      const rows = (what: string, key: keyof typeof parley, max: number) => [
        { what: `${sideNames['do-stream']}: memory, ${what}`, value: other[key], unit: 'MiB' },
        { what: `${sideNames.parley}: memory, ${what}`, value: parley[key], unit: 'MiB', goal: { max } },
      ]
      return [
        ...rows('idle', 'idle', 110),
        ...rows(`after ${turnsEach * atOnce} turns, ${atOnce} at once`, 'used', 250),
        ...rows('a minute later', 'later', 160),
      ]
    },
    { apart: true },
  )

const measureHeap = (): Promise<Figure[]> =>
  withProcesses(async (start, folder) => {
    const heap = start([
      '--expose-gc',
      programFile('heap.ts'),
      await startProvider(start),
      join(folder, 'heap'),
    ])
    const [first, second, third] = JSON.parse(await heap.line()) as [number, number, number]
    const growth = (from: number, to: number) => ({ value: (to - from) / mebibyte, unit: 'MiB' })
    return [
      { what: 'heap after 1,000 sessions', ...growth(0, first) },
      { what: 'heap growth, session 1,000 to 2,000', ...growth(first, second) },
      { what: 'heap growth, session 2,000 to 3,000', ...growth(second, third), goal: { max: 1 } },
    ]
  })
