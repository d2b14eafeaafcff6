import { invalidRequest, quote } from '../../core/protocol/error.ts'
import type { ScopeEvent } from '../../core/protocol/event.ts'
import type { Definition } from './named-steps.ts'

export type Trigger = NonNullable<Definition['triggers']>[number]
type EventTrigger = Exclude<Trigger, { type: 'cron' }>

/** The event of each trigger, its fields, and what else a filter can name. */
export const triggerEvents: Record<
  EventTrigger['type'],
  { event: string; fields: readonly string[]; alsoFiltered?: readonly string[] }
> = {
  document_saved: {
    event: 'document-saved',
    fields: ['documentId', 'title', 'folder', 'version', 'action'],
  },
  todo_completed: {
    event: 'todo-changed',
    fields: ['listId', 'title', 'folder', 'action', 'completed'],
    alsoFiltered: ['itemId', 'itemTitle'],
  },
  schedule_remind: { event: 'cron-fired', fields: ['cronId', 'name', 'fireAt'] },
}

/**
 * The args of a run that a trigger starts. An arg has the value in the trigger, or else the field of that name in the event;
 * a workflow that declares none gets the event as `event`.
 */
export function toRunArgs(
  declared: Definition['args'],
  given: Readonly<Record<string, unknown>>,
  event?: Pick<ScopeEvent, 'data'>,
): Record<string, unknown> {
  const eventArg = event && { event: event.data }
  if (!declaresArgs(declared)) return { ...given, ...eventArg }
  const sources: Readonly<Record<string, unknown>>[] = [given, event?.data ?? {}, eventArg ?? {}]
  return Object.fromEntries(
    Object.keys(declared).flatMap((name) => {
      const source = sources.find((values) => Object.hasOwn(values, name))
      return source ? [[name, source[name]]] : []
    }),
  )
}

/** Rejects a trigger whose runs could never start, or that could never fire. */
export function requireUsableTrigger(trigger: Trigger, declared: Definition['args']): void {
  const fields = trigger.type === 'cron' ? [] : [...triggerEvents[trigger.type].fields, 'event']
  if (trigger.type !== 'cron') requireFilterable(trigger)
  if (!declaresArgs(declared)) return
  const given = trigger.args ?? {}
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name))
  if (unknown !== undefined)
    throw invalidRequest(`The arg ${quote(unknown)} is not one that the workflow declares.`)
  for (const [name, { default: fallback }] of Object.entries(declared))
    if (fallback === undefined && !Object.hasOwn(given, name) && !fields.includes(name))
      throw invalidRequest(`The arg ${quote(name)} has no default: give it under "args".`)
}

function requireFilterable({ type, filter = {} }: EventTrigger): void {
  const { fields, alsoFiltered = [] } = triggerEvents[type]
  const known = [...fields.filter((field) => field !== 'completed'), ...alsoFiltered, 'sessionId', 'label']
  const unknown = Object.keys(filter).find((field) => !known.includes(field))
  if (unknown !== undefined)
    throw invalidRequest(`The filter names ${quote(unknown)}; it can name ${known.join(', ')}.`)
}

const declaresArgs = (declared: Definition['args']): declared is NonNullable<Definition['args']> =>
  declared !== undefined && Object.keys(declared).length > 0
