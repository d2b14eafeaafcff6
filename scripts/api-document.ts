import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParley } from '../src/parley.ts'
import { createApp, createMetrics, type ServerDeps } from '../src/server/index.ts'
import { readVersion } from '../src/version.ts'

/** What `/openapi.json` answers, of a Parley in a folder of its own. */
export async function toApiDocument(): Promise<unknown> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-document-'))
  const parley = await createParley({ dataDir, takesUpRuns: false })
  try {
    const deps: Partial<Record<keyof ServerDeps, unknown>> = {
      store: parley.store,
      operations: parley.operations,
      contributions: parley.contributions,
      metrics: createMetrics(),
      version: readVersion(),
      limits: { bodyBytes: 0, jsonDepth: 0, pageSize: 0 },
    }
    const app = createApp(deps as unknown as ServerDeps, {
      apiKeys: [],
      allowedHosts: [],
      allowedOrigins: [],
    })
    const answer = await app.request('/openapi.json', { headers: { host: 'localhost' } })
    if (!answer.ok) throw new Error(await answer.text())
    return await answer.json()
  } finally {
    await parley.close()
    rmSync(dataDir, { recursive: true })
  }
}
