import type { ChatBody } from '../core/protocol/chat.ts'
import type { OutputSchema } from '../core/protocol/output.ts'
import type { Session } from '../core/protocol/session.ts'
import type { SessionStreams } from '../core/protocol/sessions.ts'
import { createChat, sendInput } from './chat.ts'
import type { Send } from './http.ts'
import { importFile } from './import-file.ts'
import { observeSession } from './observe.ts'

/** What of sessions streams, and their documents, over HTTP. */
export const createSessionStreams = (send: Send): SessionStreams => ({
  chat: <Value>(id: string, body: ChatBody | string, options?: { output: OutputSchema<Value> }) =>
    createChat(send, id, body, options),
  send: (id, body, options) => sendInput(send, id, body, options),
  observe: (id, options) => observeSession(send, id, options),
  export: async (id, query) =>
    (await send('GET', `/api/sessions/${encodeURIComponent(id)}/export`, { query: { ...query } })).text(),
  async *exportAll({ ids, ...query } = {}) {
    const response = await send('GET', '/api/exports', { query: { ...query, ids: ids?.join(',') } })
    const decoder = new TextDecoder()
    const reader = response.body!.getReader()
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read())
        yield decoder.decode(read.value, { stream: true })
    } finally {
      await reader.cancel()
    }
  },
  async import(text, query) {
    const response = await send('POST', '/api/sessions/import', {
      query: { ...query },
      text: { type: documentType(text), body: text },
    })
    return (await response.json()) as Session
  },
  importFile: (file, options) => importFile(send, file, options),
})

/** The server detects a document by its content; the type only has to be an accepted one. */
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
