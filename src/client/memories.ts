import type { Memories } from '../protocol/memory.ts'
import type { Send } from './http.ts'

export function createMemoriesClient(send: Send): Memories {
  const at = (id: string) => `/api/memories/${encodeURIComponent(id)}`
  const read = async <T>(...request: Parameters<Send>) => (await (await send(...request)).json()) as T
  return {
    list: (query) => read('GET', '/api/memories', { query }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    create: (memory) => read('POST', '/api/memories', { json: memory }),
    update: (id, change) => read('PATCH', at(id), { json: change }),
    delete: async (id, query) => void (await send('DELETE', at(id), { query: { ...query } })),
    restore: (id, query) => read('POST', `${at(id)}/restore`, { query: { ...query } }),
  }
}
