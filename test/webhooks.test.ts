import { pino } from 'pino'
import { Webhook as Receiver } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../src/core/store/store.ts'
import { createAddressRules } from '../src/core/net/address-rules.ts'
import {
  defaultWebhookLimits,
  type WebhookDeps,
  type WebhookLimits,
} from '../src/extensions/webhook/webhook-service.ts'
import { createWebhookSender, type WebhookSender } from '../src/extensions/webhook/delivery-loop.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  retryDelivery,
  sendTest,
  updateWebhook,
} from '../src/extensions/webhook/webhooks.ts'
import { setClock, type SetClock } from './cron-harness.ts'
import { anyDatabase, databases, type OpenDatabase, type TestDatabase } from './harness.ts'
import { openTasks, submit } from './task-harness.ts'
import { startSite } from './web-sites.ts'

const caller = { scope: 'default', actor: { type: 'user', id: 'test' } } as const
const pages = { pageSize: 100 }

interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

/** A real receiver on this machine, which answers what it is told to. */
async function startReceiver(answer: (count: number, path: string) => number | 'hang' = () => 200) {
  const received: Received[] = []
  const { port } = await startSite((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      received.push({
        path,
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      })
      const status = answer(received.length, path)
      if (status === 'hang') return
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  return { url: `http://127.0.0.1:${port}`, received }
}

interface WebhookTest {
  store: Store
  deps: WebhookDeps
  clock: SetClock
  sender: WebhookSender
  database: TestDatabase
  problems: string[]
  /** Answers the number of the event. */
  happen(data?: Record<string, unknown>, type?: string): Promise<number>
  deliveries(id: string): Promise<Awaited<ReturnType<typeof listDeliveries>>['items']>
}

async function openWebhooks(
  openDatabase: OpenDatabase,
  limits: Partial<WebhookLimits> = {},
  allowPrivate = ['127.0.0.1'],
): Promise<WebhookTest> {
  const database = await openDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const clock = setClock('2026-01-01T00:00:00Z')
  const store = await database.open(clock)
  await store.ensureScope('default')
  const problems: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) })
  const deps: WebhookDeps = {
    store,
    clock,
    rules: createAddressRules(allowPrivate),
    resolve: async (name) => (name === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1']),
    limits: { ...defaultWebhookLimits, ...limits },
  }
  const sender = createWebhookSender({ ...deps, logger })
  onTestFinished(async () => {
    await sender.stop()
    await store.close()
  })
  return {
    store,
    deps,
    clock,
    sender,
    database,
    problems,
    async happen(data = {}, type = 'thing-happened') {
      await store.recordEvent('default', { type, data })
      return (await store.getEventRange('default')).last
    },
    deliveries: async (id) => (await listDeliveries(store, pages, caller, id, {})).items,
  }
}

describe.each(databases)('webhooks on %s', (_name, openDatabase) => {
  it('call their URL for each event that is meant, from then on, once, signed for any receiver', async () => {
    const { store, deps, clock, sender, happen, deliveries, problems } = await openWebhooks(openDatabase)
    // receivers refuse what was signed long ago
    clock.set(Date.now())
    const receiver = await startReceiver()
    await happen({ n: 0 })
    const input = { event: 'thing-*', url: `${receiver.url}/in?x=1`, filter: { kind: 'good' } }
    const { id, secret } = await createWebhook(store, deps, caller, input)
    await happen({ n: 1, kind: 'good' })
    await happen({ n: 2, kind: 'bad' })
    await happen({ n: 3, kind: 'good' }, 'other')
    const seq = await happen({ n: 4, kind: 'good' })
    for (let count = 0; count < 3; count++) await sender.tick()
    const bodies = receiver.received.map(({ headers, body }) => {
      // a published library that receivers check calls with
      const check = new Receiver(secret!)
      expect(() => check.verify(`${body} `, headers)).toThrow('No matching signature found')
      return check.verify(body, headers) as { data: { n: number } }
    })
    expect(bodies.map(({ data }) => data.n).toSorted()).toEqual([1, 4])
    expect(bodies).toContainEqual({
      type: 'thing-happened',
      timestamp: new Date(clock.now()).toISOString(),
      webhookId: id,
      scope: 'default',
      seq,
      data: { n: 4, kind: 'good' },
    })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(receiver.received[0]).toMatchObject({ path: '/in?x=1' })
    expect(await deliveries(id)).toMatchObject([
      { status: 'delivered', attempts: 1, answerStatus: 200 },
      { status: 'delivered', attempts: 1, answerStatus: 200 },
    ])
    expect(problems).toEqual([])
  })

  it('retry with a growing delay and the same id and body, and are given up after the last attempt', async () => {
    const { store, deps, clock, sender, happen, deliveries } = await openWebhooks(openDatabase, {
      maxAttempts: 3,
    })
    const receiver = await startReceiver((_count, path) => (path === '/once' ? 200 : 500))
    const { id } = await createWebhook(store, deps, caller, { event: '*', url: receiver.url })
    await happen()
    await sender.tick()
    expect(await deliveries(id)).toMatchObject([
      {
        status: 'waiting',
        attempts: 1,
        answerStatus: 500,
        error: 'Answered 500 in place of 2xx.',
        nextAttemptAt: '2026-01-01T00:00:05.000Z',
      },
    ])
    clock.advance(4_999)
    await sender.tick()
    expect(receiver.received).toHaveLength(1)
    clock.advance(1)
    await sender.tick()
    expect(await deliveries(id)).toMatchObject([{ attempts: 2, nextAttemptAt: '2026-01-01T00:05:05.000Z' }])
    clock.advance(300_000)
    await sender.tick()
    expect(await deliveries(id)).toMatchObject([{ status: 'failed', attempts: 3 }])
    clock.advance(100 * 3_600_000)
    await sender.tick()
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1)
    // a person sends it again, to another place
    await updateWebhook(store, deps, caller, id, { url: `${receiver.url}/once` })
    await retryDelivery(store, caller, id, (await deliveries(id))[0]!.id)
    await sender.tick()
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 4, answerStatus: 200 }])
    expect(await getWebhook(store, caller, id)).toMatchObject({ status: 'active', failures: 0 })
  })

  it('pause when the receiver is gone or fails again and again, and say so; resumed, send what waits', async () => {
    const { store, deps, sender, happen, deliveries } = await openWebhooks(openDatabase, {
      maxAttempts: 1,
      maxFailures: 2,
    })
    let status = 410
    const receiver = await startReceiver(() => status)
    const { id } = await createWebhook(store, deps, caller, { event: 'thing-*', url: receiver.url })
    const watching = await createWebhook(store, deps, caller, {
      event: 'webhook-*',
      url: `${receiver.url}/watch`,
    })
    await happen()
    await sender.tick()
    expect(await getWebhook(store, caller, id)).toMatchObject({
      status: 'paused',
      reason: 'The receiver answered 410: it is gone.',
    })
    await happen()
    status = 200
    await sender.tick()
    await sender.tick()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/watch'])
    expect(await deliveries(watching.id)).toMatchObject([{ type: 'webhook-paused', status: 'delivered' }])
    await expect(sendTest(store, deps, caller, id)).rejects.toMatchObject({ code: 'conflict' })
    await updateWebhook(store, deps, caller, id, { status: 'active' })
    status = 503
    await happen()
    await happen()
    await sender.tick()
    expect(await getWebhook(store, caller, id)).toMatchObject({
      status: 'paused',
      reason: '2 deliveries in a row failed. Resume it when the receiver works again.',
    })
    const { items } = await store.listAudit('default', { limit: 20, resourceType: 'webhook' })
    expect(items.map(({ action }) => action)).toContain('pause')
  })

  it('call nothing that is private, follow no redirect, and give up on silence', async () => {
    const { store, deps, sender, happen, deliveries } = await openWebhooks(openDatabase, { timeoutMs: 200 })
    const receiver = await startReceiver((_count, path) => (path === '/hang' ? 'hang' : 302))
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/x', 'http://0x7f.2/'])
      await expect(createWebhook(store, deps, caller, { event: '*', url })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('webhooks.allowPrivate') as string,
      })
    for (const url of [
      'ftp://example.com/',
      'https://me:secret@example.com/',
      'example.com',
      'https://a\tb.com/',
    ])
      await expect(createWebhook(store, deps, caller, { event: '*', url })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    const errorOf = async (url: string) => {
      const { id } = await createWebhook(store, deps, caller, { event: '*', url })
      await happen()
      await sender.tick()
      const [delivery] = await deliveries(id)
      await deleteWebhook(store, caller, id)
      return delivery!.error
    }
    expect(await errorOf('http://inside.example/')).toMatch(/is not on the public internet/)
    expect(await errorOf(`${receiver.url}/moved`)).toBe('Answered 302; redirects are not followed.')
    expect(await errorOf(`${receiver.url}/hang`)).toBe('No answer within 200 ms.')
    expect(receiver.received.map(({ path }) => path)).toEqual(['/moved', '/hang'])
  })

  it('take one event after another from the log when too many wait, and lose none', async () => {
    const { store, deps, clock, sender, happen, deliveries } = await openWebhooks(openDatabase, {
      maxWaiting: 2,
      maxAtOnce: 9,
    })
    let status = 500
    const receiver = await startReceiver(() => status)
    const { id } = await createWebhook(store, deps, caller, { event: 'thing-*', url: receiver.url })
    for (let n = 0; n < 7; n++) await happen({ n })
    await sender.tick()
    await sender.tick()
    expect(await deliveries(id)).toHaveLength(2)
    status = 200
    for (let round = 0; round < 6; round++) {
      clock.advance(10_000)
      await sender.tick()
    }
    const delivered = receiver.received
      .slice(2)
      .map(({ body }) => JSON.parse(body) as { data: { n: number } })
    expect(delivered.map(({ data }) => data.n).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('keep none of the others waiting, however many of them can take in no more', async () => {
    const { store, deps, sender, happen, deliveries } = await openWebhooks(openDatabase, {
      maxWaiting: 1,
      maxPerScope: 200,
    })
    const receiver = await startReceiver((_count, path) => (path === '/good' ? 200 : 500))
    for (let count = 0; count < 120; count++)
      await store.createWebhook({
        scope: 'default',
        name: 'full',
        url: `${receiver.url}/full`,
        event: '*',
        filter: {},
        secret: 'whsec_AAAA',
        seenSeq: 0,
      })
    await happen()
    for (let round = 0; round < 3; round++) await sender.tick()
    const { id } = await createWebhook(store, deps, caller, { event: '*', url: `${receiver.url}/good` })
    await happen()
    for (let round = 0; round < 3; round++) await sender.tick()
    expect(await deliveries(id)).toHaveLength(1)
  })

  it('are sent by one of several nodes, and again by another when one dies during a call', async () => {
    const { store, deps, clock, sender, database, happen, deliveries } = await openWebhooks(openDatabase)
    const receiver = await startReceiver((count) => (count === 1 ? 'hang' : 200))
    const { id } = await createWebhook(store, deps, caller, { event: 'thing-*', url: receiver.url })
    const other = await database.open(clock)
    onTestFinished(() => other.close())
    const logger = pino({ level: 'silent' })
    const second = createWebhookSender({ ...deps, store: other, logger })
    onTestFinished(() => second.stop())
    await happen()
    const first = sender.tick()
    await expect.poll(() => receiver.received.length).toBe(1)
    await second.tick()
    expect(receiver.received).toHaveLength(1)
    // stopped in the middle of its call, the first one gives it back
    await sender.stop()
    await first
    expect(await deliveries(id)).toMatchObject([{ status: 'waiting', attempts: 1, error: 'Interrupted.' }])
    await second.tick()
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2 }])
    // one that was killed gives nothing back: the attempt is taken for lost after a while
    const [lost] = await store.addDeliveries(id, [{ type: 'webhook-test', body: '{}' }])
    expect(await store.claimDelivery(lost!, clock.now() + 45_000)).toBe(true)
    await second.tick()
    expect(receiver.received).toHaveLength(2)
    clock.advance(45_000)
    await second.tick()
    expect((await deliveries(id))[0]).toMatchObject({ status: 'delivered', attempts: 2 })
  })

  it('show their secret once, refuse one more than may be, and leave nothing behind', async () => {
    const { store, deps, sender, deliveries } = await openWebhooks(openDatabase, { maxPerScope: 1 })
    const receiver = await startReceiver()
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const made = await createWebhook(store, deps, caller, { event: '*', url: receiver.url, secret })
    expect(made.secret).toBe(secret)
    expect(await getWebhook(store, caller, made.id)).not.toHaveProperty('secret')
    const renamed = await updateWebhook(store, deps, caller, made.id, { name: 'other' })
    expect(renamed).not.toHaveProperty('secret')
    await expect(createWebhook(store, deps, caller, { event: '*', url: receiver.url })).rejects.toMatchObject(
      { code: 'conflict', message: expect.stringContaining('maxPerScope') as string },
    )
    await sendTest(store, deps, caller, made.id)
    await sender.tick()
    expect(await deliveries(made.id)).toMatchObject([{ type: 'webhook-test', status: 'delivered' }])
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ data: { sentBy: 'test' } })
    const { items } = await store.listAudit('default', { limit: 20 })
    expect(JSON.stringify(items)).not.toContain(secret)
    await deleteWebhook(store, caller, made.id)
    await expect(getWebhook(store, caller, made.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe.each(anyDatabase)('the webhooks of a Parley on %s', (_name, openDatabase) => {
  it('are called for what happens to its tasks, and no more when they are deleted', async () => {
    const receiver = await startReceiver()
    await using parley = await openTasks(openDatabase, submit, { webhooks: { allowPrivate: ['127.0.0.1'] } })
    const { webhooks, sessions } = parley
    const wanted = { event: 'bg:session.completed', filter: { label: 'nightly' } }
    const { id, secret } = await webhooks.create({ ...wanted, url: receiver.url })
    const ids: string[] = []
    for (const label of ['other', 'nightly']) {
      ids.push((await sessions.create({ kind: 'background', prompt: 'work', label })).id)
      await parley.until(ids.at(-1)!, 'completed')
    }
    await expect
      .poll(async () => (await webhooks.deliveries(id)).items)
      .toMatchObject([{ type: 'bg:session.completed', status: 'delivered', attempts: 1 }])
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received
    expect(new Receiver(secret!).verify(body, headers)).toMatchObject({
      type: 'bg:session.completed',
      sessionId: ids[1],
      data: { label: 'nightly', status: 'success' },
    })
    await webhooks.delete(id)
    await expect(webhooks.deliveries(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(receiver.received).toHaveLength(1)
  })
})
