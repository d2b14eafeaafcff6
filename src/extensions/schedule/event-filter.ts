import type { ScopeEvent } from '../../core/protocol/event.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { EventHookRecord } from './store/event-hooks.ts'

type Filter = EventHookRecord['filter']

/** A type, or its beginning and `*`. */
export const isOfType = (pattern: string, type: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/** Whether an event whose type matches also passes the filter of the hook. */
export function passesFilter(
  { event: type, filter, workflowId }: Pick<EventHookRecord, 'event' | 'filter' | 'workflowId'>,
  event: ScopeEvent,
  session: Session | undefined,
): boolean {
  // a trigger waits for items that were done, a hook for any change of a list
  if (workflowId === undefined || type !== 'todo-changed') return isEqual(filter, event, session)
  const { itemId, itemTitle, ...rest } = filter
  const isWanted = ({ id, title }: CompletedItem) =>
    (itemId === undefined || id === itemId) && (itemTitle === undefined || title === itemTitle)
  return completedIn(event).some(isWanted) && isEqual(rest, event, session)
}

function isEqual(filter: Filter, event: ScopeEvent, session: Session | undefined): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    if (field === 'sessionId') return event.sessionId === wanted
    if (Object.hasOwn(event.data, field)) return event.data[field] === wanted
    return field === 'label' && session?.bgMeta?.label === wanted
  })
}

interface CompletedItem {
  id: string
  title: string
}

const completedIn = ({ data }: ScopeEvent): CompletedItem[] =>
  Array.isArray(data['completed']) ? (data['completed'] as CompletedItem[]) : []
