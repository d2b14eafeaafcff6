import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import { refusals } from '../../core/http/responses.ts'
import type { SealedSessions } from '../../core/http/sealed-sessions.ts'
import { sendPieces } from '../../core/http/send-pieces.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import { idSchema, scopeSchema } from '../../core/protocol/names.ts'
import { bulkFormats, maxSelected, sessionKinds } from '../../core/protocol/session.ts'
import { threadSlugSchema } from '../../core/protocol/thread.ts'
import { catchUpIndex } from '../../core/store/catch-up-index.ts'
import { exportAll } from '../../core/sessions/export-all.ts'
import { requireFormat } from '../../core/sessions/formats/format.ts'
import type { ServerDeps } from '../server-deps.ts'

const exportAllRoute = createRoute({
  method: 'get',
  path: '/api/exports',
  summary: 'Export all sessions of a scope, or a selection',
  description: 'One text that `POST /api/sessions/import-file` takes back.',
  tags: ['documents'],
  request: {
    query: z.strictObject({
      scope: scopeSchema.optional(),
      format: z.enum(bulkFormats).optional().meta({ description: 'Default jsonl' }),
      ids: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(idSchema).min(1).max(maxSelected))
        .optional()
        .meta({
          type: 'string',
          description: `Only these sessions, separated by commas; at most ${maxSelected}`,
        }),
      kind: z.enum(sessionKinds).optional(),
      thread: threadSlugSchema.optional(),
      archived: z.enum(['true', 'false', 'all']).optional().meta({ description: 'Default all' }),
      q: z.string().max(200).optional().meta({ description: 'Words of the title or of a message' }),
    }),
  },
  responses: { 200: { description: 'The sessions, newest first or in the order of `ids`' }, ...refusals },
})

/** Sessions that are sealed are left out, as in lists. */
export function exportAllRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, windows }: ServerDeps,
  sealed: SealedSessions,
): void {
  const isClosed = (sessionId: string) =>
    sealed.refuse({ sessionId }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof ParleyError) return true
        throw error
      },
    )
  app.openapi(exportAllRoute, async (c) => {
    const { scope, ...selection } = c.req.valid('query')
    const caller = callerIn(c, scope)
    if (selection.q !== undefined) await catchUpIndex(store, caller.scope)
    const { mediaType, extension } = requireFormat(selection.format ?? 'jsonl')
    const body = await sendPieces(exportAll({ store, windows, isClosed }, caller, selection))
    c.header('Content-Type', `${mediaType}; charset=utf-8`)
    c.header('Content-Disposition', `attachment; filename="${caller.scope}-sessions.${extension}"`)
    return c.body(body, 200)
  })
}
