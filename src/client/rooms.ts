import type { Rooms } from '../protocol/rooms.ts'
import type { Send } from './http.ts'
import { randomKey } from './random-key.ts'

export function createRoomsClient(send: Send): Rooms {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/sessions/${encodeURIComponent(id)}`
  return {
    modes: (query) => read('GET', '/api/modes', { query: { ...query } }),
    get: (id, query) => read('GET', `${at(id)}/room`, { query: { ...query } }),
    setMode: (id, input) => read('PUT', `${at(id)}/mode`, { json: input }),
    advance: (id, input = {}) =>
      read('POST', `${at(id)}/advance`, { json: input, idempotencyKey: randomKey() }),
    ask: (id, input) => read('POST', `${at(id)}/ask`, { json: input, idempotencyKey: randomKey() }),
    regenerate: (id, input) =>
      read('POST', `${at(id)}/regenerate`, { json: input, idempotencyKey: randomKey() }),
    mute: (id, input) => read('POST', `${at(id)}/mute`, { json: input }),
    unmute: (id, input) => read('POST', `${at(id)}/unmute`, { json: input }),
    rounds: (id, query) => read('GET', `${at(id)}/rounds`, { query: { ...query } }),
  }
}
