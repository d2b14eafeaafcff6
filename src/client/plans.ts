import type { Plans } from '../protocol/plans.ts'
import type { Send } from './http.ts'

export function createPlansClient(send: Send): Plans {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/plans/${encodeURIComponent(id)}`
  const nodeAt = (id: string, nodeId: number) => `${at(id)}/nodes/${nodeId}`
  const runAt = (id: string) => `/api/plan-runs/${encodeURIComponent(id)}`
  return {
    list: (query) => read('GET', '/api/plans', { query }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    create: (input) => read('POST', '/api/plans', { json: input }),
    update: (id, input) => read('PATCH', at(id), { json: input }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    tree: (id, query) => read('GET', `${at(id)}/tree`, { query }),
    outline: (id, query) => read('GET', `${at(id)}/outline`, { query }),
    markdown: (id, query) => read('GET', `${at(id)}/markdown`, { query: { ...query } }),
    importMarkdown: (id, input) => read('POST', `${at(id)}/import`, { json: input }),
    results: (id, query) => read('GET', `${at(id)}/results`, { query }),
    node: (id, nodeId, query) => read('GET', nodeAt(id, nodeId), { query: { ...query } }),
    addNode: (id, input) => read('POST', `${at(id)}/nodes`, { json: input }),
    updateNode: (id, nodeId, input) => read('PATCH', nodeAt(id, nodeId), { json: input }),
    moveNode: (id, nodeId, input) => read('POST', `${nodeAt(id, nodeId)}/move`, { json: input }),
    deleteNode: (id, nodeId, query) => read('DELETE', nodeAt(id, nodeId), { query: { ...query } }),
    skipNode: (id, nodeId, input = {}) => read('POST', `${nodeAt(id, nodeId)}/skip`, { json: input }),
    resetNode: (id, nodeId, input = {}) => read('POST', `${nodeAt(id, nodeId)}/reset`, { json: input }),
    acceptNode: (id, nodeId, query) => read('POST', `${nodeAt(id, nodeId)}/accept`, { query: { ...query } }),
    stopNode: (id, nodeId, query) => read('POST', `${nodeAt(id, nodeId)}/stop`, { query: { ...query } }),
    messageNode: (id, nodeId, input) => read('POST', `${nodeAt(id, nodeId)}/message`, { json: input }),
    doneNode: (id, nodeId, input) => read('POST', `${nodeAt(id, nodeId)}/done`, { json: input }),
    versions: (id, query) => read('GET', `${at(id)}/versions`, { query }),
    undo: (id, input = {}) => read('POST', `${at(id)}/undo`, { json: input }),
    execute: (id, input = {}) => read('POST', `${at(id)}/execute`, { json: input }),
    runNode: (id, nodeId, input = {}) => read('POST', `${nodeAt(id, nodeId)}/run`, { json: input }),
    decompose: (id, input = {}) => read('POST', `${at(id)}/decompose`, { json: input }),
    runs: (query) => read('GET', '/api/plan-runs', { query }),
    getRun: (id, query) => read('GET', runAt(id), { query: { ...query } }),
    cancelRun: (id, query) => read('POST', `${runAt(id)}/cancel`, { query: { ...query } }),
    retryRun: (id, query) => read('POST', `${runAt(id)}/retry`, { query: { ...query } }),
  }
}
