import { toTimestamp } from '../../core/protocol/names.ts'
import type { NewFire } from './store/cron-fires.ts'
import type { CronRecord } from './store/crons.ts'
import { parseSchedule, type Schedule } from './next-fire.ts'

export interface DueFires {
  /** To be started, oldest first. */
  fires: { fireAt: number; cause: 'schedule' | 'missed' }[]
  /** To be recorded as skipped, each with its reason. */
  skipped: NewFire[]
  nextFireAt?: number
}

// a busy node, or a clock that is a little behind, is late; it has not missed anything
const onTimeMs = 10_000
// a one-time fire is of no use long after its moment
const onceLateMs = 10 * 60_000
/** At most this many skipped times are recorded one by one; one more row stands for the rest. */
export const maxListed = 100
// counting further would take longer than it is worth
const maxCounted = 1_000
// of times that were not counted, those that may still be started: the newest missed, and a second each on time
const maxNewest = 32

/** What a due cron has to do now. Pure: two nodes that ask at the same time get the same answer. */
export function findDueFires(cron: CronRecord, now: number): DueFires {
  const schedule = parseSchedule(cron.schedule, cron.timeZone)
  const dueAt = cron.nextFireAt ?? now
  if (schedule.isOnce) return findDueOnce(dueAt, now)
  const { times, isCut } = dueTimes(schedule, dueAt, now)
  const missed = times.filter((at) => at < now - onTimeMs)
  const onTime = times.slice(missed.length)
  const made = missed.slice(missed.length - madeUp(cron, missed.length, onTime.length))
  const left = missed.slice(0, missed.length - made.length)
  return {
    fires: [
      ...made.map((fireAt) => ({ fireAt, cause: 'missed' as const })),
      ...onTime.map((fireAt) => ({ fireAt, cause: 'schedule' as const })),
    ],
    skipped: toSkipped(left, isCut, `No Parley looked after it until ${toTimestamp(now)}. ${tail(cron)}`),
    nextFireAt: schedule.next(now),
  }
}

function findDueOnce(dueAt: number, now: number): DueFires {
  if (now - dueAt <= onceLateMs)
    return {
      fires: [{ fireAt: dueAt, cause: now - dueAt <= onTimeMs ? 'schedule' : 'missed' }],
      skipped: [],
    }
  const reason = `No Parley looked after it until ${toTimestamp(now)}; more than 10 minutes late is too late.`
  return { fires: [], skipped: [{ fireAt: dueAt, cause: 'missed', outcome: 'skipped', reason }] }
}

/** How many of the missed are made up for. A fire that is on time makes up for all before it. */
function madeUp({ missed, maxMissed }: CronRecord, count: number, onTime: number): number {
  if (missed === 'skip') return 0
  return Math.min(count, missed === 'all' ? maxMissed : onTime > 0 ? 0 : 1)
}

const tail = ({ missed, maxMissed }: CronRecord) =>
  ({
    skip: 'What is missed is left out.',
    once: 'A later fire makes up for it.',
    all: `Only the newest ${maxMissed} are made up for.`,
  })[missed]

/** From the first that is due until now. `isCut` when there are more than were counted: only the newest follow. */
function dueTimes(schedule: Schedule, from: number, now: number): { times: number[]; isCut: boolean } {
  const times: number[] = []
  for (let at: number | undefined = from; at !== undefined && at <= now; at = schedule.next(at)) {
    if (times.length === maxCounted) {
      const last = times.at(-1)!
      // schedules count in whole seconds: the one that has begun belongs to now
      const newest = schedule.last(now + 1_000, maxNewest).filter((time) => time > last && time <= now)
      return { times: [...times, ...newest], isCut: true }
    }
    times.push(at)
  }
  return { times, isCut: false }
}

function toSkipped(left: number[], isCut: boolean, reason: string): NewFire[] {
  const row = { cause: 'missed', outcome: 'skipped' } as const
  const listed = left.slice(0, maxListed).map((fireAt): NewFire => ({ ...row, fireAt, reason }))
  const rest = left.slice(maxListed)
  if (rest.length === 0) return listed
  const count = `${isCut ? 'More than ' : ''}${rest.length} times until ${toTimestamp(rest.at(-1)!)}.`
  return [...listed, { ...row, fireAt: rest[0]!, times: rest.length, reason: `${count} ${reason}` }]
}
