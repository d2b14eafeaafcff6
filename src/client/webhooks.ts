import type { Webhooks } from '../protocol/webhook.ts'
import type { Send } from './http.ts'

export function createWebhooksClient(send: Send): Webhooks {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/webhooks/${encodeURIComponent(id)}`
  return {
    create: (input) => read('POST', '/api/webhooks', { json: input }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    list: (query) => read('GET', '/api/webhooks', { query }),
    update: (id, patch) => read('PATCH', at(id), { json: patch }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    test: (id, query) => read('POST', `${at(id)}/test`, { query: { ...query } }),
    deliveries: (id, query) => read('GET', `${at(id)}/deliveries`, { query }),
    retry: (id, deliveryId, query) =>
      read('POST', `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}/retry`, { query: { ...query } }),
  }
}
