import type { Workflows } from '../protocol/workflows.ts'
import type { Send } from './http.ts'

export function createWorkflowsClient(send: Send): Workflows {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/workflows/${encodeURIComponent(id)}`
  const runAt = (id: string) => `/api/workflow-runs/${encodeURIComponent(id)}`
  return {
    list: (query) => read('GET', '/api/workflows', { query }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    create: (input) => read('POST', '/api/workflows', { json: input }),
    update: (id, input) => read('PUT', at(id), { json: input }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    validate: (input) => read('POST', '/api/workflows/validate', { json: input }),
    templates: () => read('GET', '/api/workflows/templates'),
    schema: () => read('GET', '/api/workflows/schema'),
    versions: (id, query) => read('GET', `${at(id)}/versions`, { query }),
    version: (id, version, query) => read('GET', `${at(id)}/versions/${version}`, { query: { ...query } }),
    diff: (id, query) => read('GET', `${at(id)}/diff`, { query }),
    rollback: (id, input) => read('POST', `${at(id)}/rollback`, { json: input }),
    managementSession: (id, query) =>
      read('POST', `${id === undefined ? '/api/workflows' : at(id)}/management-session`, {
        query: { ...query },
      }),
    run: (id, input = {}) => read('POST', `${at(id)}/runs`, { json: input }),
    start: (input) => read('POST', '/api/workflow-runs', { json: input }),
    runs: (query) => read('GET', '/api/workflow-runs', { query }),
    getRun: (id, query) => read('GET', runAt(id), { query: { ...query } }),
    resume: (id, input) => read('POST', `${runAt(id)}/resume`, { json: input }),
    cancel: (id, query) => read('POST', `${runAt(id)}/cancel`, { query: { ...query } }),
    rerun: (id, input = {}) => read('POST', `${runAt(id)}/rerun`, { json: input }),
  }
}
