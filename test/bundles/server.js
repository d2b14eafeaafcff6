// What works in threads of its own or with files that come with Parley: pages, searches, long imports, workflows, the API page.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { pino } from 'pino'
import { createParley } from 'parley'
import { createApp, createMetrics } from 'parley/server'

mkdirSync('project')
writeFileSync('project/notes.txt', 'first\nneedle in the hay\nlast\n')
const site = createServer((_, response) =>
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<article><h1>Weather</h1><p>It rains.</p></article>'),
)
site.listen(0, '127.0.0.1')
await once(site, 'listening')

const parley = await createParley({
  dataDir: 'data',
  scopes: { default: { root: `${process.cwd()}/project` } },
  permissions: { mode: 'bypassPermissions' },
  web: { allowPrivate: ['127.0.0.1'] },
})
const app = createApp(
  {
    ...parley,
    clock: { now: Date.now },
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    version: '1.0.0',
    limits: { bodyBytes: 10_485_760, jsonDepth: 64, pageSize: 200 },
  },
  { apiKeys: [], allowedHosts: ['localhost'], allowedOrigins: [] },
)

const { id } = await parley.sessions.create()
const use = async (tool, input) => {
  const { message } = await parley.sessions.chat(id, `use ${tool} ${JSON.stringify(input)}`)
  return JSON.stringify(message.parts)
}
const messages = Array.from({ length: 200 }, () => ({ role: 'user', content: 'x'.repeat(1_000) }))
const post = (body) =>
  app.request('/api/sessions/import', {
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const result = {
  search: await use('file', { action: 'grep', pattern: 'needle' }),
  page: await use('web_fetch', { url: `http://127.0.0.1:${site.address().port}/` }),
  import: (await post({ messages })).status,
  workflows: (await parley.workflows.templates()).items.length,
  docs: (await app.request('/docs', { headers: { host: 'localhost' } })).status,
}
site.close()
await parley.close()
process.stdout.write(JSON.stringify(result))
