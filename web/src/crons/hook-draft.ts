import type { CreateEventHook, EventHook } from '../../../src/client/index.ts'
import type { UpdateEventHook } from '../../../src/extensions/schedule/protocol/event-hook.ts'
import { toTimeout } from './cron-draft.ts'

/** An event hook as the form holds it. */
export interface HookDraft {
  name: string
  event: string
  /** Lines of `field = value`. */
  filter: string
  prompt: string
  label: string
  model: string
  maxPerHour: string
  timeoutMinutes: string
}

type Filter = EventHook['filter']

export const emptyHook: HookDraft = {
  name: '',
  event: '',
  filter: '',
  prompt: '',
  label: '',
  model: '',
  maxPerHour: '60',
  timeoutMinutes: '',
}

export const toHookDraft = (hook: EventHook): HookDraft => ({
  name: hook.name,
  event: hook.event,
  filter: formatFilter(hook.filter),
  prompt: hook.prompt,
  label: hook.label ?? '',
  model: hook.model ?? '',
  maxPerHour: String(hook.maxPerHour),
  timeoutMinutes: hook.timeoutMs === undefined ? '' : String(hook.timeoutMs / 60_000),
})

export function toCreateHook(draft: HookDraft): CreateEventHook {
  const fields = Object.entries(toFields(draft)).filter(([, value]) => value !== null)
  return Object.fromEntries(fields) as unknown as CreateEventHook
}

/** Only what was changed: what somebody else changed meanwhile stays. */
export function toUpdateHook(before: EventHook, draft: HookDraft): UpdateEventHook {
  const was: Record<string, unknown> = toFields(toHookDraft(before))
  const changed = Object.entries(toFields(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name]),
  )
  return Object.fromEntries(changed.filter(([name, value]) => value !== null || canBeEmpty.includes(name)))
}

const canBeEmpty = ['label', 'model', 'timeoutMs']

const toFields = (draft: HookDraft) => ({
  name: draft.name.trim() || null,
  event: draft.event.trim(),
  filter: parseFilter(draft.filter).filter,
  prompt: draft.prompt,
  label: draft.label.trim() || null,
  model: draft.model.trim() || null,
  maxPerHour: draft.maxPerHour.trim() === '' ? null : Number(draft.maxPerHour),
  timeoutMs: toTimeout(draft.timeoutMinutes),
})

/** `wrong` is the first line that is none. Numbers, true, false, null and quoted texts are read as JSON. */
export function parseFilter(text: string): { filter: Filter; wrong?: string } {
  const entries: [string, Filter[string]][] = []
  const read = (): Filter => Object.fromEntries(entries)
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const [, name, value] = /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { filter: read(), wrong: line.trim() }
    // by assignment a name such as __proto__ would be lost
    entries.push([name, parseValue(value)])
  }
  return { filter: read() }
}

export const formatFilter = (filter: Filter) =>
  Object.entries(filter)
    .map(([name, value]) => `${name} = ${isPlain(value) ? value : JSON.stringify(value)}`)
    .join('\n')

/** Whether a text is read back as itself. */
const isPlain = (value: Filter[string]) =>
  typeof value === 'string' && value === value.trim() && !value.includes('\n') && parseValue(value) === value

function parseValue(text: string): Filter[string] {
  if (!/^(-?\d|true$|false$|null$|")/.test(text)) return text
  try {
    return JSON.parse(text) as Filter[string]
  } catch {
    return text
  }
}
