import type { Logger } from 'pino'
import type { Chats } from '../core/chat/chats.ts'
import type { ServerContributions } from '../core/http/contributions.ts'
import type { ServerLimits } from '../core/http/body-class.ts'
import type { BoundOperations } from '../core/operations/calls.ts'
import type { SessionServices } from '../core/chat/session-operations.ts'
import type { EventFeed } from '../core/runs/event-feed.ts'
import type { ImportLimits } from '../core/protocol/import-limits.ts'
import type { Caller } from '../core/sessions/caller.ts'
import type { Windows } from '../core/sessions/window/windows.ts'
import type { Clock } from '../core/shared/clock.ts'
import type { Ids } from '../core/shared/ids.ts'
import type { Store } from '../core/store/store.ts'
import type { Watchers } from '../core/watch/watcher.ts'
import type { Metrics } from './metrics.ts'

/** What the routes work with. */
export interface ServerDeps {
  operations: readonly BoundOperations[]
  contributions: ServerContributions
  store: Store
  chats: Chats
  windows: Windows
  /** What operations run with. */
  services: { sessions: Pick<SessionServices, 'chats' | 'background' | 'lifecycle'> }
  events: EventFeed
  /** What keys that are bound to scopes cannot raise. */
  configured: NonNullable<Caller['configured']>
  ids: Ids
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Notified of requests; default: nobody. */
  watchers?: Watchers
  version: string
  limits: ServerLimits
  /** What a file of conversations may have at most; what is left out has its default. */
  imports?: Partial<ImportLimits>
}
