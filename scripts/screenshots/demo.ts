/** A server with something on every page, as somebody has it who works with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createParley, type Parley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { sampleModel } from './model.ts'
import type { Pace } from './pace.ts'

export interface Demo extends AsyncDisposable {
  url: string
  /** A chat with tools and a task. */
  chat: string
  /** A task that is done. */
  done: string
  /** One that goes on. */
  running: string
  /** A chat in which nothing was said yet, and a room of three agents. */
  empty: string
  room: string
}

/** The model goes at the pace that it is given. */
export async function startDemo(workbenchDir: string, pace: Pace): Promise<Demo> {
  const model = pace.slow(sampleModel)
  const folder = mkdtempSync(join(tmpdir(), 'parley-screenshots-'))
  writeFileSync(join(folder, 'AGENTS.md'), '# Rules\n\nAnswer briefly. Commands go into code blocks.\n')
  const parley = await createParley({
    dataDir: join(folder, 'data'),
    scopes: { default: { root: folder } },
    models: { model: model.id, extra: { sample: () => model } },
    memory: { learn: true },
    prices: { [sampleModel.id]: { input: 2, output: 10, cacheRead: 0.2 } },
    shutdownMs: 500,
  })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      version: '0.0.0',
      limits: { bodyBytes: 10_485_760, jsonDepth: 100, pageSize: 200 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [], workbenchDir },
  )
  const server = await serve(app, { host: '127.0.0.1', port: 0 })
  return {
    url: server.url,
    ...(await fill(parley)),
    async [Symbol.asyncDispose]() {
      await server.stop(500)
      await parley.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function fill({
  sessions,
  crons,
  memories,
}: Parley): Promise<Omit<Demo, 'url' | keyof AsyncDisposable>> {
  await memories.create({ layer: 'user', text: 'Prefers short answers, with commands that can be copied.' })
  await memories.create({ layer: 'scope', text: '发布前先在副本上运行迁移；最大的工作区大约需要四分钟。' })
  await memories.create({ layer: 'scope', text: 'Ada leads the platform team; Lin runs the migration.' })
  for (const [title, content] of [
    ['What a window is', 'Does a session forget what leaves its window?'],
    ['下一版的发布', '我们怎么安排下一版的发布？'],
    ['Names for the new service', 'Help me find a name for the new service.'],
  ] as const) {
    const { id } = await sessions.create({ title })
    await sessions.chat(id, content)
  }
  const { id: running } = await sessions.create({
    kind: 'background',
    prompt: 'Watch the error rate for an hour, and say when it goes up.',
    label: 'Watch the error rate',
  })
  const { id: chat } = await sessions.create({
    title: 'Release 1.5',
    window: { mode: 'memo', limit: { messages: 6 } },
  })
  for (const content of ['Who is on the team?', 'What did we decide last week?', 'What could go wrong?'])
    await sessions.chat(chat, content)
  await sessions.chat(chat, 'Plan the release for Friday, and have the notes written.')
  const { items } = await sessions.list({ kind: 'background', parent: chat })
  const done = items[0]!.id
  await until('The task ends', async () => (await sessions.get(done)).bgStatus === 'completed')
  await until('Something is learned', async () => (await memories.list({ session: chat })).items.length > 1)
  await crons.create({
    name: 'Morning report',
    schedule: '0 9 * * 1-5',
    timeZone: 'Europe/Berlin',
    prompt: 'Sum up what happened since yesterday.',
  })
  const nightly = await crons.create({
    name: 'Nightly check',
    schedule: '30 2 * * *',
    timeZone: 'Asia/Shanghai',
    prompt: 'Collect the changes since yesterday.',
  })
  await crons.trigger(nightly.id)
  const { id: room } = await sessions.create({
    title: 'The team',
    mode: 'free_chat',
    agents: ['mira', 'quill', 'pip'],
  })
  const { id: empty } = await sessions.create({ title: 'Friday' })
  return { chat, done, running, room, empty }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries > 200) throw new Error(`${what}: not so after ten seconds.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
