import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Bench } from './bench.ts'
import { createSession, residentMemory, serveParley } from './chat/parley.ts'
import { programFile, startProvider, turn, withProcesses } from './chat/process.ts'

const starts = 5
const atOnce = 64
const mebibyte = 2 ** 20

/** The server as one starts it: its first start, its memory; and the heap after thousands of sessions. */
export const chatMemory: Bench = {
  name: 'chat-memory',
  run: () =>
    withProcesses(async (start, folder) => {
      const providerUrl = await startProvider(start)
      const serve = async (name: string) => {
        const began = performance.now()
        const served = await serveParley(start, { folder, name, providerUrl })
        return { ...served, startMs: performance.now() - began }
      }

      const startTimes: number[] = []
      for (let round = -1; round < starts; round++) {
        const { program, startMs } = await serve(`start-${round}`)
        // the first one fills the compile cache, a moment after it has started
        if (round < 0) await sleep(2_000)
        await program.end()
        if (round >= 0) startTimes.push(startMs)
      }

      const { program, url } = await serve('memory')
      await sleep(1_000)
      const idle = residentMemory(program)
      const sessions = await Promise.all(Array.from({ length: atOnce }, () => createSession(url)))
      await Promise.all(sessions.map((id) => turn(`${url}/api/sessions/${id}/chat`)))
      const used = residentMemory(program)
      await program.end()

      const heap = start(['--expose-gc', programFile('heap.ts'), providerUrl, join(folder, 'heap')])
      const [first, second, third] = JSON.parse(await heap.line()) as [number, number, number]

      return [
        {
          what: 'first start, until it is ready',
          value: median(startTimes),
          unit: 'ms',
          goal: { max: 600 },
        },
        { what: 'memory, idle', value: idle, unit: 'MiB', goal: { max: 120 } },
        { what: `memory after ${atOnce} turns at once`, value: used, unit: 'MiB', goal: { max: 250 } },
        { what: 'heap after 1,000 sessions', value: first / mebibyte, unit: 'MiB' },
        { what: 'heap growth, session 1,000 to 2,000', value: (second - first) / mebibyte, unit: 'MiB' },
        {
          what: 'heap growth, session 2,000 to 3,000',
          value: (third - second) / mebibyte,
          unit: 'MiB',
          goal: { max: 1 },
        },
      ]
    }),
}
