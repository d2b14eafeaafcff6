import type { Context } from 'hono'
import { ParleyError, quote } from '../protocol/error.ts'
import { defaultScope } from '../protocol/names.ts'
import type { Caller } from '../sessions/caller.ts'
import type { HttpBindings } from '@hono/node-server'
import type { Actor } from '../store/queries/audit.ts'

/** The authenticated caller; nothing that a client claims about itself gets in here. */
export interface Identity {
  actor: Actor
  /** The scopes a key is bound to; undefined is all of them. */
  scopes: string[] | undefined
  /** Of a key that has one. */
  keyName?: string
  /** Of such a key: what the configuration gives to every scope, which it cannot raise. */
  configured?: Caller['configured']
}

/** Upgrades a request to a socket. Refuses an invalid handshake. */
export type Upgrade = () => Promise<ServerSocket>

/** A WebSocket, as far as routes use it. */
export interface ServerSocket {
  readonly OPEN: number
  readonly readyState: number
  /** Bytes that the reader has not taken yet. */
  readonly bufferedAmount: number
  send(data: Buffer, options: { binary: boolean }, onTaken?: () => void): void
  close(code: number, reason: string): void
  on(event: 'close' | 'message', listener: () => void): unknown
}

/** What every handler finds at a request. */
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

/** The caller within a scope; refuses a scope that the key is not bound to. */
export function callerIn(c: Context<AppEnv>, scope: string = defaultScope): Caller {
  const { actor, scopes, keyName, configured } = c.get('identity')
  if (scopes && !scopes.includes(scope))
    throw new ParleyError('forbidden', `This key has no access to the scope ${quote(scope)}.`)
  return {
    actor,
    scope,
    seesAllScopes: scopes === undefined,
    ...(keyName !== undefined && { keyName }),
    ...(configured && { configured }),
  }
}
