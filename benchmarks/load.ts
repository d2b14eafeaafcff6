import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { createSession } from './chat/parley.ts'
import { startProvider, withProcesses } from './chat/process.ts'
import { startParley } from './chat/sides.ts'
import { turn } from './chat/turns.ts'
import { usageOf } from './chat/usage.ts'

const people = 100
const tasks = 10
const halfMs = 15_000
const pauseMs = () => 500 + Math.random() * 1_000

/** People who chat and tasks that go on beside them, for half a minute, on one server. */
export const load: Bench = {
  name: 'load',
  run: () =>
    withProcesses(async (start, folder) => {
      const providerUrl = await startProvider(start)
      const { program, url, open } = await startParley(start, { folder, name: 'load', providerUrl })
      const sessions = await open(people)
      const takenMs: number[] = []
      const firstMs: number[] = []
      let failures = 0
      let isOver = false
      const repeat = async (work: () => Promise<unknown>) => {
        while (!isOver) {
          await work().catch((error: Error) => {
            failures++
            process.stderr.write(`  ${error.message}: ${error.cause ?? 'no cause'}\n`)
          })
          await sleep(pauseMs())
        }
      }
      const chats = sessions.map((chatUrl) =>
        repeat(async () => {
          const taken = await turn(chatUrl)
          takenMs.push(taken.takenMs)
          firstMs.push(taken.firstMs)
        }),
      )
      const background = Array.from({ length: tasks }, () =>
        repeat(async () => {
          const id = await createSession(url, { kind: 'background', prompt: 'Find something out.' })
          // to its end: one more at a time would be refused
          await (await fetch(`${url}/api/sessions/${id}/observe`)).text()
        }),
      )
      await sleep(halfMs)
      const half = usageOf(program).memoryMiB
      await sleep(halfMs)
      const whole = usageOf(program).memoryMiB
      isOver = true
      await Promise.all([...chats, ...background])
      return [
        { what: `turns, ${people} people`, value: takenMs.length / ((2 * halfMs) / 1_000), unit: '/s' },
        { what: 'requests that failed', value: failures, unit: '', goal: { max: 0 } },
        { what: 'until an input is taken, p99', value: p99(takenMs), unit: 'ms', goal: { max: 100 } },
        { what: 'until the first delta, p99', value: p99(firstMs), unit: 'ms' },
        { what: 'memory', value: whole, unit: 'MiB', goal: { max: 512 } },
        { what: 'growth of it in the second half', value: whole - half, unit: 'MiB' },
      ]
    }),
}

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!
