import type { Runs } from '../protocol/prompt.ts'
import type { Send } from './http.ts'

export function createRunsClient(send: Send): Runs {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/runs/${encodeURIComponent(id)}`
  return {
    list: (query) => read('GET', '/api/runs', { query: { ...query } }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    prompt: (id, query) => read('GET', `${at(id)}/prompt`, { query: { ...query } }),
    step: (id, step, query) => read('GET', `${at(id)}/prompt/${step}`, { query: { ...query } }),
  }
}
