import { isGap, type EventFrame, type ScopeEvent } from '../../../src/client/index.ts'

type QueryKey = readonly unknown[]

/** Queries by the first word of their keys, each with what makes them stale. */
export type StaleQueries = Readonly<Record<string, StaleQuery>>

export interface StaleQuery {
  /** Types of events; `plan-*` is every one that begins so. */
  events: readonly string[]
  /** Which of the queries; all of that word unless said. Undefined: none of them, after all. */
  key?(event: ScopeEvent): QueryKey | undefined
}

/** What has to be asked again after an event. */
export function staleKeys(queries: readonly StaleQueries[], event: EventFrame): QueryKey[] {
  // what happened meanwhile is not known: everything may have changed
  if (isGap(event)) return [[]]
  return queries
    .flatMap((of) => Object.entries(of))
    .filter(([, { events }]) => events.some((pattern) => matchesEvent(pattern, event.type)))
    .flatMap(([word, { key = () => [word] }]) => {
      const stale = key(event)
      return stale ? [stale] : []
    })
}

export const matchesEvent = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
