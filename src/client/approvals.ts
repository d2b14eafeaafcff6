import type { Approvals } from '../protocol/approval.ts'
import type { Send } from './http.ts'

export function createApprovalsClient(send: Send): Approvals {
  const at = (id: string) => `/api/approvals/${encodeURIComponent(id)}`
  const read = async <T>(...request: Parameters<Send>) => (await (await send(...request)).json()) as T
  return {
    list: (query) => read('GET', '/api/approvals', { query }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    decide: (id, decision) => read('POST', at(id), { json: decision }),
  }
}
