export const scheduleKinds = ['hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'once', 'line'] as const
export type ScheduleKind = (typeof scheduleKinds)[number]

/** A schedule as the form holds it; each kind reads the values that it needs. */
export interface ScheduleDraft {
  kind: ScheduleKind
  /** Of every hour. */
  minute: string
  /** `HH:MM`. */
  time: string
  /** 0 is Sunday. */
  weekday: string
  /** Of the month; `L` is the last. */
  day: string
  /** `YYYY-MM-DDTHH:MM`, on the clocks of the zone. */
  at: string
  /** As it was typed. */
  line: string
}

export const emptySchedule: ScheduleDraft = {
  kind: 'daily',
  minute: '0',
  time: '09:00',
  weekday: '1',
  day: '1',
  at: '',
  line: '',
}

export function toLine(draft: ScheduleDraft): string {
  const [hour = 0, minute = 0] = draft.time.split(':').map(Number)
  switch (draft.kind) {
    case 'hourly':
      return `${draft.minute} * * * *`
    case 'daily':
      return `${minute} ${hour} * * *`
    case 'weekdays':
      return `${minute} ${hour} * * 1-5`
    case 'weekly':
      return `${minute} ${hour} * * ${draft.weekday}`
    case 'monthly':
      return `${minute} ${hour} ${draft.day} * *`
    case 'once':
      return draft.at === '' ? '' : `once:${draft.at}:00`
    case 'line':
      return draft.line
  }
}

/** The simplest kind that says the same; a line of its own when none does. */
export function toSchedule(line: string): ScheduleDraft {
  const draft = { ...emptySchedule, line }
  const [minute = '', hour = '', day = '', , weekday = ''] = line.split(' ')
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  const at = line.replace(/^once:/, '').replace(/:00$/, '')
  const kinds: Partial<ScheduleDraft>[] = [
    ...(isUpTo(minute, 59) ? [{ kind: 'hourly' as const, minute }] : []),
    ...(isUpTo(minute, 59) && isUpTo(hour, 23)
      ? [
          { kind: 'daily' as const, time },
          { kind: 'weekdays' as const, time },
          ...(isUpTo(weekday, 6) ? [{ kind: 'weekly' as const, time, weekday }] : []),
          ...(day === 'L' || (day !== '0' && isUpTo(day, 31))
            ? [{ kind: 'monthly' as const, time, day }]
            : []),
        ]
      : []),
    ...(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(at) ? [{ kind: 'once' as const, at }] : []),
  ]
  const found = kinds.find((kind) => toLine({ ...draft, ...kind }) === line)
  return { ...draft, ...(found ?? { kind: 'line' }) }
}

const isUpTo = (text: string, most: number) => /^(0|[1-9]\d?)$/.test(text) && Number(text) <= most
