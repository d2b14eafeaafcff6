import { createParser } from 'eventsource-parser'
import { ParleyError } from '../core/protocol/error.ts'
import type { ImportProgress, ImportReport } from '../core/protocol/import-report.ts'
import type { ImportFileOptions } from '../core/protocol/sessions.ts'
import type { Send } from './http.ts'
import { toFailure } from './http.ts'

/** Sends the file as it is, piece by piece, and follows its import. */
export async function importFile(
  send: Send,
  file: Blob,
  { onProgress, signal, ...query }: ImportFileOptions = {},
): Promise<ImportReport> {
  const response = await send('POST', '/api/sessions/import-file', {
    query: { ...query },
    accept: 'text/event-stream',
    text: { type: 'application/octet-stream', body: file },
    signal,
  })
  let report: ImportReport | undefined
  let failure: ParleyError | undefined
  const parser = createParser({
    onEvent({ event, data }) {
      const value: unknown = JSON.parse(data)
      if (event === 'progress') onProgress?.(value as ImportProgress)
      else if (event === 'report') report = value as ImportReport
      else if (event === 'failure') failure = toFailure(value, 'The import failed.')
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read())
    parser.feed(decoder.decode(read.value, { stream: true }))
  if (failure) throw failure
  if (!report)
    throw new ParleyError(
      'store_unavailable',
      'The connection ended before the import did. Import the file again: what is stored is not stored twice.',
    )
  return report
}
