import type { Catalogue } from '../protocol/catalogue.ts'
import type { Mcp } from '../protocol/mcp.ts'
import type { Models, Providers } from '../protocol/models.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Send } from './http.ts'

/** What there is to choose from, and what is chosen for a scope. */
export function createWorkbenchClient(send: Send): {
  models: Models
  providers: Providers
  settings: Settings
  catalogue: Catalogue
  mcp: Mcp
} {
  const read = async <T>(...request: Parameters<Send>): Promise<T> =>
    (await (await send(...request)).json()) as T
  const at = (name: string) => `/api/providers/${encodeURIComponent(name)}`
  return {
    models: { list: (query) => read('GET', '/api/models', { query }) },
    providers: {
      put: (name, input, query) => read('PUT', at(name), { json: input, query: { ...query } }),
      async delete(name, query) {
        await send('DELETE', at(name), { query: { ...query } })
      },
    },
    settings: {
      get: (query) => read('GET', '/api/settings', { query: { ...query } }),
      update: (patch) => read('PATCH', '/api/settings', { json: patch }),
    },
    catalogue: {
      tools: (query) => read('GET', '/api/tools', { query: { ...query } }),
      rules: (query) => read('GET', '/api/rules', { query: { ...query } }),
      skills: (query) => read('GET', '/api/skills', { query: { ...query } }),
      commands: (query) => read('GET', '/api/commands', { query: { ...query } }),
      files: (query) => read('GET', '/api/files', { query }),
    },
    mcp: { servers: (query) => read('GET', '/api/mcp', { query: { ...query } }) },
  }
}
