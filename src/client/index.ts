import type { Sessions } from '../protocol/sessions.ts'
import { createSend, type ClientOptions } from './http.ts'
import { createSessionsClient } from './sessions.ts'

export interface ParleyClient {
  sessions: Sessions
}

/** A Parley somewhere else, over HTTP; works in Node and in browsers. */
export function createClient(options: ClientOptions = {}): ParleyClient {
  const send = createSend(options)
  return { sessions: createSessionsClient(send) }
}

export { ParleyError, type ErrorCode } from '../protocol/error.ts'
export type { Message, NewMessage, Part } from '../protocol/message.ts'
export type { Session, SessionDocument, SessionKind, SessionPage } from '../protocol/session.ts'
export type { Sessions } from '../protocol/sessions.ts'
export type { ClientOptions } from './http.ts'
