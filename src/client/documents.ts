import type { Locks } from '../protocol/lock.ts'
import type { Todos } from '../protocol/todo.ts'
import type { Send } from './http.ts'

const reader =
  (send: Send) =>
  async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T

export function createTodosClient(send: Send): Todos {
  const read = reader(send)
  const at = (id: string) => `/api/todos/${encodeURIComponent(id)}`
  const itemAt = (id: string, itemId: string) => `${at(id)}/items/${encodeURIComponent(itemId)}`
  return {
    create: (input) => read('POST', '/api/todos', { json: input }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    list: (query) => read('GET', '/api/todos', { query }),
    update: (id, patch) => read('PATCH', at(id), { json: patch }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    addItems: (id, input) => read('POST', `${at(id)}/items`, { json: input }),
    updateItem: (id, itemId, patch) => read('PATCH', itemAt(id, itemId), { json: patch }),
    deleteItem: (id, itemId, query) => read('DELETE', itemAt(id, itemId), { query: { ...query } }),
  }
}

export function createLocksClient(send: Send): Locks {
  const read = reader(send)
  return {
    list: (query) => read('GET', '/api/locks', { query }),
    async release(type, id, query) {
      await send('DELETE', `/api/locks/${type}/${encodeURIComponent(id)}`, { query: { ...query } })
    },
  }
}
