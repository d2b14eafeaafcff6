import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { toParleyOptions } from '../../src/cli/open-parley.ts'
import { loadConfig } from '../../src/config.ts'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { holdAnswers } from '../http/held-answers.ts'

export interface PageServer extends AsyncDisposable {
  url: string
  /** What commands need to find the same data and settings. */
  environment: Record<string, string>
}

/** What `parley serve` makes of the settings in a folder, on a port of its own, with nothing stored yet. */
export async function startPageServer(folder: string): Promise<PageServer> {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const environment = { PATH: process.env.PATH!, HOME: home, PARLEY_DATA_DIR: join(folder, 'data') }
  const loaded = loadConfig({ env: environment, cwd: folder, home })
  const logger = pino({ level: 'silent' })
  const parley = await createParley({ ...toParleyOptions(loaded), logger })
  const { limits, allowedHosts, allowedOrigins, apiKeys } = loaded.config
  const app = createApp(
    { ...parley, clock: systemClock, logger, metrics: createMetrics(), version: 'docs', limits },
    { apiKeys, allowedHosts, allowedOrigins },
  )
  const server = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  return {
    url: server.url,
    environment,
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(500), parley.chats.close(500)])
      await parley.close()
      rmSync(join(folder, 'data'), { recursive: true, force: true })
    },
  }
}
