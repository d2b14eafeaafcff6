import type { Sessions } from '../protocol/sessions.ts'
import { createChat, sendInput } from './chat.ts'
import type { Send } from './http.ts'
import { observeSession } from './observe.ts'

export function createSessionsClient(send: Send): Sessions {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (id: string) => `/api/sessions/${encodeURIComponent(id)}`
  const waiting = (id: string, runId: string) => `${at(id)}/queue/${encodeURIComponent(runId)}`
  return {
    create: (input = {}) => read('POST', '/api/sessions', { json: input }),
    get: (id, query) => read('GET', at(id), { query: { ...query } }),
    list: (query) => read('GET', '/api/sessions', { query }),
    update: (id, patch) => read('PATCH', at(id), { json: patch }),
    async delete(id, query) {
      await send('DELETE', at(id), { query: { ...query } })
    },
    fork: (id, input) => read('POST', `${at(id)}/fork`, { json: input }),
    variants: (id, query) => read('GET', `${at(id)}/variants`, { query: { ...query } }),
    checkpoints: (id, query) => read('GET', `${at(id)}/checkpoints`, { query: { ...query } }),
    rollback: (id, input) => read('POST', `${at(id)}/rollback`, { json: input }),
    messages: (id, query) => read('GET', `${at(id)}/messages`, { query: { ...query } }),
    append: (id, message) => read('POST', `${at(id)}/messages`, { json: message }),
    chat: (id, body) => createChat(send, id, body),
    send: (id, body, options) => sendInput(send, id, body, options),
    observe: (id, options) => observeSession(send, id, options),
    result: (id, query) => read('GET', `${at(id)}/result`, { query: { ...query } }),
    stop: (id, query) => read('POST', `${at(id)}/stop`, { query: { ...query } }),
    queue: {
      list: (id, query) => read('GET', `${at(id)}/queue`, { query: { ...query } }),
      reorder: (id, order) => read('PUT', `${at(id)}/queue`, { json: order }),
      edit: (id, runId, change) => read('PATCH', waiting(id, runId), { json: change }),
      async remove(id, runId, query) {
        await send('DELETE', waiting(id, runId), { query: { ...query } })
      },
      steer: (id, runId, query) => read('POST', `${waiting(id, runId)}/steer`, { query: { ...query } }),
    },
    inbox: (id, query) => read('GET', `${at(id)}/inbox`, { query: { ...query } }),
    usage: (id, query) => read('GET', `${at(id)}/usage`, { query: { ...query } }),
    prompt: (id, query) => read('GET', `${at(id)}/prompt`, { query: { ...query } }),
    window: (id, query) => read('GET', `${at(id)}/window`, { query: { ...query } }),
    setWindow: (id, settings) => read('PUT', `${at(id)}/window`, { json: settings }),
    resize: (id, request = {}) => read('POST', `${at(id)}/resize`, { json: request }),
    memo: (id, query) => read('GET', `${at(id)}/memo`, { query: { ...query } }),
    memoVersions: (id, query) => read('GET', `${at(id)}/memo/versions`, { query: { ...query } }),
    setMemo: (id, input) => read('PUT', `${at(id)}/memo`, { json: input }),
    undoMemo: (id, input = {}) => read('POST', `${at(id)}/memo/undo`, { json: input }),
    export: async (id, query) => (await send('GET', `${at(id)}/export`, { query: { ...query } })).text(),
    import: (text, query) =>
      read('POST', '/api/sessions/import', {
        query: { ...query },
        text: { type: documentType(text), body: text },
      }),
  }
}

/** The server reads a document by its content; the type only has to be one that it lets in. */
const documentType = (text: string) =>
  /^\s*[[{]/.test(text) && isJson(text) ? 'application/json' : 'text/markdown'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // JSON Lines, or something that the server will name
  }
}
