import { randomUUID } from 'node:crypto'
import {
  WebStandardStreamableHTTPServerTransport as Transport,
  type McpServer,
} from '@modelcontextprotocol/server'
import type { Caller } from '../../../core/sessions/caller.ts'
import type { Clock } from '../../../core/shared/clock.ts'

/** One client of the MCP server: what it is connected to is its own, and nobody else's. */
export interface Connection {
  transport: Transport
  server: McpServer
  owner: string
  usedAt: number
}

export interface Connections {
  /** Kept from its initialization until the client closes it, or is idle for long. */
  open(caller: Caller): Promise<Connection>
  /** Undefined when there is none, or when it belongs to another caller: a client cannot distinguish the two. */
  find(id: string, caller: Caller): Connection | undefined
  /** Ends the streams on which clients wait for news. */
  endStreams(): void
}

// a client that comes back later gets "unknown session", and initializes again
const idleMs = 60 * 60_000
// each costs some kilobytes; the one that was silent for longest makes room
const maxConnections = 1_000

export function createConnections(build: (caller: Caller) => McpServer, clock: Clock): Connections {
  /** In the order of their last use. */
  const kept = new Map<string, Connection>()

  const drop = (id: string) => {
    const connection = kept.get(id)
    kept.delete(id)
    void connection?.server.close()
  }
  const dropOld = () => {
    for (const [id, { usedAt }] of kept)
      if (kept.size >= maxConnections || usedAt < clock.now() - idleMs) drop(id)
      else break
  }

  return {
    async open(caller) {
      dropOld()
      const transport = new Transport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void kept.set(id, connection),
        onsessionclosed: (id) => void kept.delete(id),
      })
      const server = build(caller)
      const connection = { transport, server, owner: ownerOf(caller), usedAt: clock.now() }
      await server.connect(transport)
      return connection
    },
    find(id, caller) {
      const connection = kept.get(id)
      if (connection?.owner !== ownerOf(caller)) return undefined
      kept.delete(id)
      kept.set(id, connection)
      connection.usedAt = clock.now()
      return connection
    },
    endStreams() {
      for (const { transport } of kept.values()) transport.closeStandaloneSSEStream()
    },
  }
}

const ownerOf = ({ actor, scope }: Caller) => JSON.stringify([actor.type, actor.id, scope])
