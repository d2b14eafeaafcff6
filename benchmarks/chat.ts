import { median, type Bench, type Figure } from './bench.ts'
import { withProcesses } from './chat/process.ts'
import { sideNames, startSides, type Server, type Side } from './chat/sides.ts'
import { measureTurns, type Sample } from './chat/turns.ts'
import { bytesOnDisk } from './chat/usage.ts'

const kinds = Object.keys(sideNames) as Side[]
const together = [1, 16, 64] as const
const turnsPerRound = 800
// one at a time, all go to one session: as many as fill its window
const fewer = 4
const freshSessions = 50
const rounds = 3
// a server runs for days: what it costs before its code is compiled is not what it costs
const warmUps = 2

/** What is measured in a round: turns, so many at once, and first turns of fresh sessions. */
type Part = (typeof together)[number] | 'fresh'
type Samples = Record<Side, Record<Part, Sample[]>>

/**
 * A whole turn over HTTP against a provider that answers in 50 chunks; the server has one core, the provider and those who
 * talk another: (a) a handler that forwards the provider's bytes and appends two rows, (b) Hono and the AI SDK's streamText,
 * which sends and stores nothing of the conversation, (c) the provider's doStream with the two appends of (a), and Parley
 * as it is installed. Each of those who talk at once goes on in a session of its own, a new one in each round; (a), (c) and
 * Parley send what was said in it.
 */
export const chat: Bench = {
  name: 'chat',
  run: ({ turns = turnsPerRound }) =>
    withProcesses(
      async (start, folder) => {
        const servers = await startSides(start, folder, kinds)
        const samples = Object.fromEntries(
          kinds.map((kind) => [kind, { 1: [], 16: [], 64: [], fresh: [] }]),
        ) as unknown as Samples
        const turnsEach = (atOnce: number) => Math.max(1, Math.round(turns / (atOnce === 1 ? fewer : atOnce)))
        const measure = async ({ program, open }: Server, part: Part) =>
          part === 'fresh'
            ? measureTurns(program, { urls: await open(freshSessions), atOnce: 1, turnsEach: 1 })
            : measureTurns(program, { urls: await open(part), turnsEach: turnsEach(part) })
        for (let round = -warmUps; round < rounds; round++)
          for (const part of [...together, 'fresh'] as const)
            for (const kind of kinds) {
              const sample = await measure(servers[kind], part)
              if (round >= 0) samples[kind][part].push(sample)
            }
        const perRound = together.reduce((sum, atOnce) => sum + atOnce * turnsEach(atOnce), freshSessions)
        const messages = 2 * perRound * (warmUps + rounds)
        return [
          ...reportTurns(samples),
          ...reportDisk(samples, (kind) => bytesOnDisk(servers[kind].folder) / messages),
        ]
      },
      { apart: true },
    ),
}

function reportTurns(samples: Samples): Figure[] {
  const of = (kind: Side, part: Part, key: 'cpuMs' | 'perSecond' | 'firstMs') =>
    median(samples[kind][part].map((sample) => sample[key]))
  const rows = (what: string, sides: Side[], part: Part, key: Parameters<typeof of>[2], unit: string) =>
    sides.map((kind) => ({ what: `${sideNames[kind]}: ${what}`, value: of(kind, part, key), unit }))
  const toSide = (other: Side, part: Part, key: Parameters<typeof of>[2]) => ({
    value: of('parley', part, key) / of(other, part, key),
    unit: '×',
  })
  return [
    ...rows('CPU of a turn, 16 at once', kinds, 16, 'cpuMs', 'ms'),
    { what: 'CPU of a turn, Parley to (c)', ...toSide('do-stream', 16, 'cpuMs'), goal: { max: 1.3 } },
    { what: 'CPU of a turn, Parley to (b)', ...toSide('stream-text', 16, 'cpuMs'), goal: { max: 0.55 } },
    ...rows('turns, one at a time', kinds, 1, 'perSecond', '/s'),
    {
      what: 'turns one at a time, Parley to (c)',
      ...toSide('do-stream', 1, 'perSecond'),
      goal: { min: 0.75 },
    },
    ...rows('turns, 16 at once', kinds, 16, 'perSecond', '/s'),
    ...rows('turns, 64 at once', kinds, 64, 'perSecond', '/s'),
    ...rows('first delta, fresh session', ['stream-text', 'parley'], 'fresh', 'firstMs', 'ms'),
    { what: 'first delta, Parley to (b)', ...toSide('stream-text', 'fresh', 'firstMs'), goal: { max: 1 } },
  ]
}

/** What (c) and Parley write; nothing where the system does not tell, or the folder is in memory. */
function reportDisk(samples: Samples, bytesPerMessage: (kind: Side) => number): Figure[] {
  const stored = ['do-stream', 'parley'] as const
  const onDisk = stored.map((kind) => ({
    what: `${sideNames[kind]}: on disk, a message`,
    value: bytesPerMessage(kind),
    unit: 'bytes',
    ...(kind === 'parley' && { goal: { max: 900 } }),
  }))
  if (!samples['do-stream'][1][0]!.writtenKiB) {
    process.stderr.write('  What is written cannot be seen: not on Linux, or TMPDIR is in memory.\n')
    return onDisk
  }
  const rows = ([1, 16] as const).flatMap((atOnce) =>
    stored.flatMap((kind) => {
      const of = (key: 'writtenKiB' | 'writeCalls') =>
        median(samples[kind][atOnce].map((sample) => sample[key]!))
      const goal = kind === 'parley' && atOnce === 1 && { goal: { max: 80 } }
      const name = `${sideNames[kind]}:`
      const when = atOnce === 1 ? 'one at a time' : `${atOnce} at once`
      return [
        { what: `${name} written to disk, a turn, ${when}`, value: of('writtenKiB'), unit: 'KiB', ...goal },
        { what: `${name} write calls, a turn, ${when}`, value: of('writeCalls'), unit: '' },
      ]
    }),
  )
  return [...rows, ...onDisk]
}
