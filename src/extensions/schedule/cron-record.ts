import type { Cron, CronFire } from './protocol/cron.ts'
import type { EventHook } from './protocol/event-hook.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { FireRecord } from './store/cron-fires.ts'
import type { CronRecord } from './store/crons.ts'
import type { EventHookRecord } from './store/event-hooks.ts'

/** A cron as it crosses the wire. */
export function toCron({ task, nextFireAt, lastFireAt, createdAt, updatedAt, ...rest }: CronRecord): Cron {
  return {
    ...rest,
    ...task,
    nextFireAt: optionalTime(nextFireAt),
    lastFireAt: optionalTime(lastFireAt),
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  }
}

export function toCronFire({ fireAt, createdAt, endedAt, ...rest }: FireRecord): CronFire {
  return {
    ...rest,
    fireAt: toTimestamp(fireAt),
    createdAt: toTimestamp(createdAt),
    endedAt: optionalTime(endedAt),
  }
}

export function toEventHook({
  task,
  seenSeq: _seen,
  windowAt: _window,
  windowStarts: _starts,
  lastStartedAt,
  createdAt,
  updatedAt,
  ...rest
}: EventHookRecord): EventHook {
  return {
    ...rest,
    ...task,
    lastStartedAt: optionalTime(lastStartedAt),
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  }
}

const optionalTime = (time: number | undefined) => (time === undefined ? undefined : toTimestamp(time))
