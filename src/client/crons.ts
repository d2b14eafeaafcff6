import type { Crons } from '../protocol/cron.ts'
import type { EventHooks } from '../protocol/event-hook.ts'
import type { Send } from './http.ts'

const reader =
  (send: Send) =>
  async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T

export function createCronsClient(send: Send): Crons {
  const read = reader(send)
  const at = (id: string) => `/api/crons/${encodeURIComponent(id)}`
  return {
    create: (input) => read('POST', '/api/crons', { json: input }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    list: (query) => read('GET', '/api/crons', { query }),
    update: (id, patch) => read('PATCH', at(id), { json: patch }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    pause: (id, query) => read('POST', `${at(id)}/pause`, { query: { ...query } }),
    resume: (id, query) => read('POST', `${at(id)}/resume`, { query: { ...query } }),
    trigger: (id, query) => read('POST', `${at(id)}/trigger`, { query: { ...query } }),
    fires: (id, query) => read('GET', `${at(id)}/fires`, { query }),
    preview: (input) => read('POST', '/api/crons/preview', { json: input }),
  }
}

export function createEventHooksClient(send: Send): EventHooks {
  const read = reader(send)
  const at = (id: string) => `/api/event-hooks/${encodeURIComponent(id)}`
  return {
    create: (input) => read('POST', '/api/event-hooks', { json: input }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    list: (query) => read('GET', '/api/event-hooks', { query }),
    update: (id, patch) => read('PATCH', at(id), { json: patch }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
  }
}
