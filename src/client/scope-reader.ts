import type { ScopeReader } from '../protocol/scope-reader.ts'
import type { RequestOptions, Send } from './http.ts'

export function createScopeReaderClient(send: Send): ScopeReader {
  const read = async <T>(path: string, query: RequestOptions['query'] = {}): Promise<T> =>
    (await (await send('GET', path, { query })).json()) as T
  return {
    audit: (query) => read('/api/audit', query),
    usage: (query) => read('/api/usage', query),
    search: (query) => read('/api/search', query),
  }
}
