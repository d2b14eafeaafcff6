import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import { idSchema } from '../../../core/protocol/names.ts'
import type { Caller } from '../../../core/sessions/caller.ts'
import { exportWhole } from '../../../core/sessions/export-text.ts'
import { readSession } from '../../../core/sessions/export.ts'
import { requireFormat } from '../../../core/sessions/formats/format.ts'
import { listSessions } from '../../../core/sessions/list.ts'
import type { McpServerDeps } from './mcp-server-deps.ts'
import { sealableOf } from './session-tools.ts'
import { refuseBugs } from './tool-answer.ts'

const mimeType = 'text/markdown'
// older ones are found by list_sessions or search
const maxListed = 50
// it is sent as one piece of JSON, and no model reads more
const maxCharacters = 2_000_000

/** Whole sessions, as their Markdown export. */
export function offerSessionResources(server: McpServer, deps: McpServerDeps, caller: Caller): void {
  const { store, windows, limits, logger } = deps
  const template = new ResourceTemplate('parley://sessions/{id}', {
    list: () =>
      refuseBugs(logger, async () => {
        const limit = Math.min(maxListed, limits.pageSize)
        const found = await listSessions(store, limits, caller, { limit })
        const items = await deps.sealed.leaveOut(found.items, sealableOf)
        return {
          resources: items.map(({ id, title }) => ({ uri: uriOf(id), name: title || id, mimeType })),
        }
      }),
  })
  server.registerResource(
    'session',
    template,
    { title: 'Session', description: 'A session with all its messages', mimeType },
    (uri, { id }) =>
      refuseBugs(logger, async () => {
        await deps.sealed.refuse({ sessionId: requireId(id) })
        const reading = await readSession(store, windows, caller, requireId(id))
        const text = await exportWhole(reading, requireFormat('markdown'), maxCharacters)
        return { contents: [{ uri: uri.href, mimeType, text }] }
      }),
  )
}

const uriOf = (id: string) => `parley://sessions/${id}`

function requireId(id: unknown): string {
  const { data, error } = idSchema.safeParse(id)
  if (error) throw invalidRequest(`${quote(id)} is not the id of a session.`)
  return data
}
