import type { Bench } from './bench.ts'
import { withProcesses } from './chat/process.ts'
import { startSides } from './chat/sides.ts'
import { measureTurns } from './chat/turns.ts'
import { bytesOnDisk } from './chat/usage.ts'

const sessions = 1_000
const allTurns = 100_000
const tenths = 10
// a divisor of the sessions of a tenth: nobody is left to talk alone at its end
const atOnce = 20
const warmUpSessions = 2 * atOnce

/**
 * A server that goes on and on: what accumulates in its process and on its disk must not make later turns dearer. Sessions
 * come and go, so that windows are as full in the last tenth as in the first; what a full one costs is in `chat-growth`.
 */
export const soak: Bench = {
  name: 'soak',
  isLong: true,
  run: ({ turns = allTurns }) =>
    withProcesses(
      async (start, folder) => {
        const {
          parley: { program, folder: data, open },
        } = await startSides(start, folder, ['parley'])
        const turnsEach = Math.max(1, Math.round(turns / sessions))
        // a process that just started compiles, and its memory grows to its working size
        await measureTurns(program, { urls: await open(warmUpSessions), atOnce, turnsEach })
        const measured: { cpuMs: number; memoryMiB: number; bytes: number }[] = []
        for (let tenth = 1; tenth <= tenths; tenth++) {
          const before = bytesOnDisk(data)
          const urls = await open(sessions / tenths)
          const { cpuMs, memoryMiB } = await measureTurns(program, { urls, atOnce, turnsEach })
          const bytes = (bytesOnDisk(data) - before) / (2 * urls.length * turnsEach)
          measured.push({ cpuMs, memoryMiB: memoryMiB.median, bytes })
          process.stderr.write(
            `  ${tenth}/${tenths}: ${cpuMs.toFixed(2)} ms, ${memoryMiB.median.toFixed(0)} MiB, ${bytes.toFixed(0)} bytes\n`,
          )
        }
        const compare = (what: string, key: keyof (typeof measured)[number], unit: string) => {
          const [first, last] = [measured.at(0)![key], measured.at(-1)![key]]
          return [
            { what: `${what}, first tenth`, value: first, unit },
            { what: `${what}, last tenth`, value: last, unit },
            { what: `${what}, last tenth to first`, value: last / first, unit: '×', goal: { max: 1.1 } },
          ]
        }
        return [
          { what: `turns in ${sessions} sessions`, value: sessions * turnsEach, unit: '' },
          ...compare('CPU of a turn', 'cpuMs', 'ms'),
          ...compare('memory', 'memoryMiB', 'MiB'),
          ...compare('on disk, a message', 'bytes', 'bytes'),
        ]
      },
      { apart: true },
    ),
}
