import { pino } from 'pino'
import { systemClock } from '../src/core/shared/clock.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { createScripted, type Script } from './chat-harness.ts'
import { toOptions, type TestDatabase } from './harness.ts'

/** A whole Parley behind its HTTP server, with a model that does as it is told. */
export async function serveParley(
  database: TestDatabase,
  script: Script,
  { allowedOrigins = [], ...options }: Partial<ParleyOptions> & { allowedOrigins?: string[] } = {},
) {
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    ...options,
  })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      version: '0.0.0',
      limits: { bodyBytes: 10_000_000, jsonDepth: 64, pageSize: 100 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins },
  )
  const server = await serve(app, { host: '127.0.0.1', port: 0 })
  return {
    parley,
    requests: model.requests,
    url: server.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(1_000), parley.close()])
    },
  }
}
