import type { CatalogueDeps } from '../core/catalogue/deps.ts'
import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'
import type { BackgroundManager } from '../core/tasks/manager.ts'
import type { Chats } from '../core/chat/chats.ts'
import type { BoundOperations } from '../core/operations/calls.ts'
import type { RoomDeps } from '../extensions/room/deps.ts'
import type { AgentDeps } from '../extensions/agents/agents.ts'
import type { EventFeed } from '../core/runs/event-feed.ts'
import type { Caller } from '../core/sessions/caller.ts'
import type { Windows } from '../core/sessions/window/windows.ts'
import type { Clock } from '../core/shared/clock.ts'
import type { Ids } from '../core/shared/ids.ts'
import type { Actor } from '../core/store/queries/audit.ts'
import type { Store } from '../core/store/store.ts'
import type { Watchers } from '../core/watch/watcher.ts'
import type { Metrics } from './metrics.ts'
import type { Upgrade } from './ws.ts'

/** What the routes work with. */
export interface ServerDeps {
  operations: readonly BoundOperations[]
  store: Store
  chats: Chats
  windows: Windows
  background: BackgroundManager
  events: EventFeed
  /** What keys that are bound to scopes cannot raise. */
  configured: NonNullable<Caller['configured']>
  /** For surfaces of another shape than operations. */
  services: { rooms: RoomDeps; agents: AgentDeps; catalogue: CatalogueDeps }
  ids: Ids
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Told of requests; nobody when left out. */
  watchers?: Watchers
  version: string
  limits: ServerLimits
}

export interface ServerLimits {
  /** Of the largest bodies: imports, files, long texts. */
  bodyBytes: number
  /** Of all others. Default 1 MiB. */
  jsonBytes?: number
  jsonDepth: number
  /** Values in one body. Default 75,000. */
  jsonValues?: number
  pageSize: number
}

/** Who asks, as the server found out; nothing that a client says about itself gets in here. */
export interface Identity {
  actor: Actor
  /** The scopes a key is bound to; undefined is all of them. */
  scopes: string[] | undefined
  /** Of a key that has one. */
  keyName?: string
  /** Of such a key: what the configuration gives to every scope, which it cannot raise. */
  configured?: Caller['configured']
}

export interface AppEnv {
  // absent when a request is made in-process, without a socket
  Bindings: Partial<HttpBindings> & {
    /** Set on a request that asks to become a socket. */
    upgrade?: Upgrade
    /** Aborted when the server begins to stop: for streams that would not end by themselves. */
    stopping?: AbortSignal
  }
  Variables: { requestId: string; identity: Identity }
}
