/** Two servers on one store in one process: routes made from operations, and two of them written by hand. */
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import type { DocumentLimits } from '../../src/extensions/documents/document-caller.ts'
import { documentOperations } from '../../src/extensions/documents/operations.ts'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { routesByHand } from './by-hand.ts'

const parley = await createParley({ dataDir: process.argv[2]! })
const { store } = parley
const settings = { apiKeys: [], allowedHosts: [], allowedOrigins: [] }
const deps = () => ({
  ...parley,
  clock: systemClock,
  logger: pino({ level: 'error' }),
  metrics: createMetrics(),
  version: 'bench',
  limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
})

const { create: _create, get: _get, ...rest } = documentOperations
const others = parley.operations.map((bound) =>
  bound.name === 'documents' ? { ...bound, operations: rest } : bound,
)
const { deps: services } = parley.operations.find(({ name }) => name === 'documents')!
const byHand = createApp({ ...deps(), operations: others }, settings)
routesByHand(byHand, { store, documentLimits: services as DocumentLimits })

const apps = [createApp(deps(), settings), byHand]
const servers = await Promise.all(apps.map((app) => serve(app, { host: '127.0.0.1', port: 0 })))
const { id } = await parley.documents.create({ title: 'Read', content: 'A line of some forty characters.\n' })
process.stdout.write(`${servers.map(({ url }) => url).join(' ')} ${id}\n`)

for await (const _ of createInterface(process.stdin)) {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${user + system}\n`)
}
process.exit()
