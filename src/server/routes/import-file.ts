import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { fileTypes } from '../../core/http/body.ts'
import { takesFile } from '../../core/http/body-class.ts'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import { readKey } from '../../core/http/idempotency.ts'
import { json, problem, refusals } from '../../core/http/responses.ts'
import { invalidRequest, ParleyError } from '../../core/protocol/error.ts'
import {
  type ImportProgress,
  type ImportReport,
  importReportSchema,
} from '../../core/protocol/import-report.ts'
import { scopeSchema } from '../../core/protocol/names.ts'

import { createFileImports, type ImportWatch } from '../../core/sessions/imports/file-imports.ts'
import type { ServerDeps } from '../server-deps.ts'
import { readScope } from './export-import.ts'

const importFileRoute = createRoute({
  method: 'post',
  path: '/api/sessions/import-file',
  ...takesFile,
  summary: 'Import all conversations of a file: an export of another program, or of Parley',
  description:
    'The body is the file as it is. With `Accept: text/event-stream`, events `progress` come while it is imported, and `report` or `failure` at the end.',
  tags: ['documents'],
  request: {
    query: z.strictObject({ scope: scopeSchema.optional() }),
    body: {
      required: true,
      content: Object.fromEntries(
        fileTypes.map((type) => [type, { schema: z.string().meta({ format: 'binary' }) }]),
      ),
    },
  },
  responses: {
    200: json(importReportSchema, 'What was stored, what was there, and what has no equal here'),
    ...refusals,
    413: problem('The file is larger than imports.fileBytes, or something in it than its limit'),
  },
})

/** Files of any length, which are not read into memory. Repeating a request stores nothing twice, with or without a key. */
export function importFileRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, windows, limits, imports, logger }: ServerDeps,
): void {
  const files = createFileImports({ store, windows, limits: imports, maxValues: limits.jsonValues })
  // the body is of no type that the route could check
  app.openAPIRegistry.registerPath(importFileRoute)
  app.post(importFileRoute.path, async (c) => {
    // a repeated request stores nothing twice, so nothing is kept of a key; a wrong one is refused as everywhere
    readKey(c)
    const caller = callerIn(c, readScope(c.req.query('scope')))
    const { body, signal } = c.req.raw
    if (body === null) throw invalidRequest('The request needs a body: the file.')
    const size = Number(c.req.header('content-length') ?? 0)
    const take = (watch: ImportWatch) =>
      files.take(
        caller,
        { size, pieces: body as AsyncIterable<Uint8Array> },
        {
          ...watch,
          // whoever waited is gone, or the server is about to be
          signal: AbortSignal.any([signal, c.env?.stopping, watch.signal].filter((one) => one !== undefined)),
        },
      )
    if (!c.req.header('accept')?.includes('text/event-stream')) return c.json(await take({}), 200)
    const events = await startEvents(take, (error) => logger.error({ err: error }, 'an import failed'))
    return c.body(events, 200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    })
  })
}

/** Resolves once the file is known to be one that can be imported; until then it is refused as everywhere. */
async function startEvents(
  take: (watch: ImportWatch) => Promise<ImportReport>,
  onBug: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  const abort = new AbortController()
  let latest: ImportProgress | undefined
  let end: { event: string; data: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  const tell = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const begun = Promise.withResolvers<void>()
  void take({
    signal: abort.signal,
    onProgress(progress) {
      latest = progress
      begun.resolve()
      tell()
    },
  })
    .then(
      (report) => void (end = { event: 'report', data: report }),
      (error: unknown) => {
        begun.reject(error)
        const isExpected = error instanceof ParleyError
        if (!isExpected && !abort.signal.aborted) onBug(error)
        const { code, message } = isExpected
          ? error
          : { code: 'internal', message: 'The import failed; what was stored until then is kept.' }
        end = { event: 'failure', data: { error: { code, message } } }
      },
    )
    .finally(tell)
  await begun.promise
  return new ReadableStream({
    async pull(controller) {
      // a client that is slow gets the newest state, not every one
      while (!latest && !end) await changed.promise
      const { event, data } = latest ? { event: 'progress', data: latest } : end!
      latest = undefined
      controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
      if (event !== 'progress') controller.close()
    },
    cancel: () => abort.abort(),
  })
}
