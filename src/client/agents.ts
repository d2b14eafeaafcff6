import type { Agents } from '../protocol/agent.ts'
import type { Send } from './http.ts'

export function createAgentsClient(send: Send): Agents {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (name: string) => `/api/agents/${encodeURIComponent(name)}`
  return {
    list: (query) => read('GET', '/api/agents', { query }),
    get: (name, query) => read('GET', at(name), { query: { ...query } }),
    create: (input) => read('POST', '/api/agents', { json: input }),
    update: (name, input) => read('PATCH', at(name), { json: input }),
    async delete(name, query) {
      await send('DELETE', at(name), { query: { ...query } })
    },
  }
}
