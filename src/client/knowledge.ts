import type { Knowledge } from '../protocol/knowledge.ts'
import type { Send } from './http.ts'

export function createKnowledgeClient(send: Send): Knowledge {
  const read = async <T>(...request: Parameters<Send>) => (await (await send(...request)).json()) as T
  return {
    stats: (query) => read('GET', '/api/knowledge', { query: { ...query } }),
    query: (query) => read('POST', '/api/knowledge/query', { json: query }),
    import: (input) => read('POST', '/api/knowledge/import', { json: input }),
    extract: (input = {}) => read('POST', '/api/knowledge/extract', { json: input }),
    sources: (query) => read('GET', '/api/knowledge/sources', { query }),
    forget: async (name, query) =>
      void (await send('DELETE', `/api/knowledge/sources/${encodeURIComponent(name)}`, {
        query: { ...query },
      })),
    entities: (query) => read('GET', '/api/knowledge/entities', { query }),
  }
}
