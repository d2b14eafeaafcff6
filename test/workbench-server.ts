import { pino } from 'pino'
import { createClient, type ParleyClient } from '../src/client/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { AppSettings } from '../src/server/app.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { toOptions, type TestDatabase } from './harness.ts'
import { holdAnswers } from './http/held-answers.ts'

export interface Workbench extends AsyncDisposable {
  parley: Parley
  url: string
  client: ParleyClient
  log: string[]
}

/** A whole Parley with its server, as `parley serve` puts them together. */
export async function startWorkbench(
  database: TestDatabase,
  options: Partial<ParleyOptions> = {},
  settings: Partial<AppSettings> = {},
): Promise<Workbench> {
  const log: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void log.push(line) })
  const parley = await createParley({ ...toOptions(database), logger, ...options })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger,
      metrics: createMetrics(),
      version: 'test',
      limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [], ...settings },
  )
  const server = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  return {
    parley,
    url: server.url,
    client: createClient({ baseUrl: server.url, apiKey: settings.apiKeys?.[0]?.key }),
    log,
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(1_000), parley.close()])
    },
  }
}
