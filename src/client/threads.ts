import type { Threads } from '../protocol/thread.ts'
import type { Send } from './http.ts'

export function createThreadsClient(send: Send): Threads {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (slug: string) => `/api/threads/${encodeURIComponent(slug)}`
  return {
    list: (query) => read('GET', '/api/threads', { query }),
    get: (slug, query) => read('GET', at(slug), { query: { ...query } }),
    create: (input) => read('POST', '/api/threads', { json: input }),
    update: (slug, input) => read('PATCH', at(slug), { json: input }),
    async delete(slug, query) {
      await send('DELETE', at(slug), { query: { ...query } })
    },
  }
}
