import type { CreateCron, Cron } from '../../../src/client/index.ts'
import type { UpdateCron } from '../../../src/extensions/schedule/protocol/cron.ts'
import { emptySchedule, toLine, toSchedule, type ScheduleDraft } from './schedule-draft.ts'

/** A cron as the form holds it: what is typed, before it is known to be right. */
export interface CronDraft {
  name: string
  prompt: string
  schedule: ScheduleDraft
  timeZone: string
  label: string
  model: string
  missed: Cron['missed']
  maxMissed: string
  overlap: Cron['overlap']
  maxFailures: string
  timeoutMinutes: string
}

export const newDraft = (timeZone: string): CronDraft => ({
  name: '',
  prompt: '',
  schedule: emptySchedule,
  timeZone,
  label: '',
  model: '',
  missed: 'once',
  maxMissed: '10',
  overlap: 'skip',
  maxFailures: '5',
  timeoutMinutes: '',
})

export const toDraft = (cron: Cron): CronDraft => ({
  name: cron.name,
  prompt: cron.prompt,
  schedule: toSchedule(cron.schedule),
  timeZone: cron.timeZone,
  label: cron.label ?? '',
  model: cron.model ?? '',
  missed: cron.missed,
  maxMissed: String(cron.maxMissed),
  overlap: cron.overlap,
  maxFailures: String(cron.maxFailures),
  timeoutMinutes: cron.timeoutMs === undefined ? '' : String(cron.timeoutMs / 60_000),
})

/** What is left empty is left to the server. */
export function toCreate(draft: CronDraft): CreateCron {
  const fields: Record<string, unknown> = toFields(draft)
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as unknown as CreateCron
}

/** Only what was changed: what somebody else changed meanwhile stays. */
export function toUpdate(before: Cron, draft: CronDraft): UpdateCron {
  const was: Record<string, unknown> = toFields(toDraft(before))
  const changed = Object.entries(toFields(draft)).filter(([name, value]) => value !== was[name])
  return Object.fromEntries(changed.filter(([name, value]) => value !== null || canBeEmpty.includes(name)))
}

const canBeEmpty = ['label', 'model', 'timeoutMs']

const toFields = (draft: CronDraft) => ({
  name: orNull(draft.name.trim()),
  prompt: draft.prompt,
  schedule: toLine(draft.schedule).trim(),
  timeZone: orNull(draft.timeZone.trim()) ?? 'UTC',
  label: orNull(draft.label.trim()),
  model: orNull(draft.model.trim()),
  missed: draft.missed,
  maxMissed: toNumber(draft.maxMissed),
  overlap: draft.overlap,
  maxFailures: toNumber(draft.maxFailures),
  timeoutMs: toTimeout(draft.timeoutMinutes),
})

const orNull = (text: string) => (text === '' ? null : text)

const toNumber = (text: string) => (text.trim() === '' ? null : Number(text))

export const toTimeout = (minutes: string): number | null => {
  const number = toNumber(minutes)
  return number === null ? null : Math.round(number * 60_000)
}
