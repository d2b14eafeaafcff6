import { isGap, type EventFrame, type ScopeEvent } from '../../../src/client/index.ts'

/** What events carry, by their types. Features add theirs: `declare module './events.ts' { interface EventData { … } }`. */
export interface EventData {
  'run-finished': RunData
  'bg:session.completed': RunData
  'bg:session.failed': RunData
  'bg:session.timeout': RunData
  'session-deleted': object
}

interface RunData {
  runId: string
  status: string
}

/**
 * An event of a type that is known here; its `type` says what is in its `data`. It comes from a server that may be of another
 * version, so any of it may be missing.
 */
export type KnownEvent = {
  [Type in keyof EventData]: Omit<ScopeEvent, 'type' | 'data'> & {
    type: Type
    data: Partial<EventData[Type]>
  }
}[keyof EventData]

/** Undefined for a gap. Types that are not known here fall through every `switch` and comparison. */
export const toKnown = (event: EventFrame): KnownEvent | undefined =>
  isGap(event) ? undefined : (event as unknown as KnownEvent)
