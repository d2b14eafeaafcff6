/** What one request may cost everybody else: everything that a key for one scope can send, against a real server. */
import { Agent, request as httpRequest } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { someOf, testTier } from '../runner/tier.ts'
import { checkEach, startProcess, type Refusal } from './app-server.ts'

const key = 'a-key-that-is-for-one-scope'
const mebibyte = 1_024 * 1_024
/** A release has 170,000. */
const lines = Number(process.env.PARLEY_TEST_LINES ?? 50_000)
// work in pieces lets many more than this through; what is done in one go five at most
const answersAtLeast = 10

interface Target extends AsyncDisposable {
  send(method: string, path: string, body?: string, type?: string): Promise<Sent>
  /** The same, and beside it one question after the other whether the server is well. */
  sendWhileAsking(
    method: string,
    path: string,
    body?: string,
    type?: string,
  ): Promise<Sent & { answers: number }>
  newSession(): Promise<string>
  /** Kills the server and starts another one on the same data. */
  restart(): Promise<void>
  database: DatabaseSync
}

interface Sent {
  status: number
  text: string
}

async function startTarget(): Promise<Target> {
  const folder = temporaryFolder()
  const config = join(folder.path, 'parley.yaml')
  writeFileSync(
    config,
    `apiKey: a-key-for-the-operator\napiKeys: [{ name: guest, key: ${key}, scopes: [guest] }]\n`,
  )
  const start = () => startProcess({ env: { PARLEY_DATA_DIR: folder.path, PARLEY_CONFIG: config } })
  let server = await start()
  const database = new DatabaseSync(join(folder.path, 'parley.db'), { readOnly: true })
  const urlOf = (path: string) => `${server.url}${path}${path.includes('?') ? '&' : '?'}scope=guest`
  const send: Target['send'] = (method, path, body, type) => sendBody(urlOf(path), method, body, { type })
  return {
    send,
    async sendWhileAsking(method, path, body, type) {
      // after the whole body was sent and before the answer was complete
      let answers = 0
      let isOver = false
      const { url } = server
      const ask = async () => {
        while (!isOver) {
          await (await fetch(new URL('/healthz', url))).text()
          if (!isOver) answers++
        }
      }
      let asking: Promise<void> | undefined
      const sent = await sendBody(urlOf(path), method, body, {
        type,
        onSent: () => (asking = ask()),
      }).finally(() => (isOver = true))
      await asking
      return { ...sent, answers }
    },
    newSession: async () => idIn(await send('POST', '/api/sessions', '{}')),
    async restart() {
      await server.kill('SIGKILL')
      server = await start()
    },
    database,
    async [Symbol.asyncDispose]() {
      database.close()
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

const idIn = ({ text }: Sent) => (JSON.parse(text) as { id: string }).id
const errorIn = ({ text }: Sent) => (JSON.parse(text) as { error: Refusal }).error

function sendBody(
  url: string,
  method: string,
  body: string | undefined,
  { type = 'application/json', onSent }: { type?: string; onSent?: () => void },
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    }
    // a connection whose request was not read to its end is cut off after the answer: no other request may follow on it
    const agent = new Agent({ keepAlive: true })
    const request = httpRequest(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        agent.destroy()
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
    // an answer to a body that is too large comes before all of it was sent
    request.on('error', reject)
    request.end(body, onSent)
  })
}

let target: Target
beforeAll(async () => void (target = await startTarget()))
afterAll(() => target[Symbol.asyncDispose]())

const list = (piece: string, bytes: number) =>
  `[${`${piece},`.repeat(Math.floor(bytes / (piece.length + 1)))}${piece}]`
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`
const jsonl = Array.from({ length: lines }, (_, index) =>
  JSON.stringify({ role: 'user', content: `line ${index}` }),
).join('\n')

interface Described {
  paths: Record<string, Record<string, { requestBody?: object; 'x-body'?: string }>>
}

/** Every route that takes a body, from the document that the server gives of itself. */
async function routesWithBody() {
  const id = await target.newSession()
  const { paths } = JSON.parse((await target.send('GET', '/openapi.json')).text) as Described
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method, route]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, id),
        size: route['x-body'] ?? 'small',
      })),
  )
}

describe('a body that would take long to read', () => {
  const within: [name: string, body: string][] = [
    ['empty lists', list('[]', 990_000)],
    ['empty objects in a field', `{"title":${list('{}', 990_000)}}`],
    ['90,000 keys', keys(90_000)],
    ['90,000 keys in a field', `{"metadata":${keys(80_000)}}`],
    ['numbers', list('1', 990_000)],
    ['texts', list('""', 990_000)],
    ['pairs', list('{"a":1}', 990_000)],
  ]
  const beyond: [name: string, body: string][] = [
    ['10 MB of empty lists', list('[]', 9.9 * mebibyte)],
    ['700,000 keys', keys(700_000)],
    ['one text of 9 MB', `{"title":"${'x'.repeat(9 * mebibyte)}"}`],
    ['a text of escapes', `{"title":"${String.raw`\u0041`.repeat(1_500_000)}"}`],
    ['blanks', `{}${' '.repeat(9 * mebibyte)}`],
  ]

  it('is refused by every route for the number of its values, before it is parsed', async () => {
    const routes = (await routesWithBody()).filter(({ size }) => size !== 'document' && size !== 'file')
    expect(routes.length).toBeGreaterThan(40)
    await checkEach(
      routes.flatMap((route, turn) =>
        someOf(within, turn, within.length).map(([what, body]) => ({ ...route, what, body })),
      ),
      async ({ name, method, path, what, body }) => {
        const answer = await target.send(method, path, body)
        expect(answer.status, `${name} with ${what}: ${answer.text.slice(0, 200)}`).toBe(413)
        expect(errorIn(answer).message, `${name} with ${what}`).toContain('limits.jsonValues')
      },
    )
  })

  it('is refused by every route that has no use for so much, before it is read', async () => {
    const routes = (await routesWithBody()).filter(({ size }) => size === 'small')
    await checkEach(
      routes.flatMap((route, turn) =>
        someOf(beyond, turn, beyond.length).map(([what, body]) => ({ ...route, what, body })),
      ),
      async ({ name, method, path, what, body }) => {
        const answer = await target.send(method, path, body)
        expect(answer.status, `${name} with ${what}: ${answer.text.slice(0, 200)}`).toBe(413)
        expect(errorIn(answer).message, `${name} with ${what}`).toContain('1048576 bytes (limits.jsonBytes)')
      },
    )
  })

  it('is refused as an import, and nothing of it is stored', async () => {
    const count = () => target.database.prepare('select count(*) as count from sessions').get()
    const before = count()
    const imports: [what: string, body: string, type?: string][] = [
      ['10 MB of empty lists', list('[]', 9.9 * mebibyte)],
      [
        'a message of a million values',
        `{"messages":[{"role":"user","content":"a","metadata":{"a":${list('1', 2_000_000)}}}]}`,
      ],
      ['many keys', keys(700_000)],
      [
        'tokens of YAML',
        `format: parley.session\nversion: 1\nmessages: ${list('[]', 3_900_000)}\n...\n`,
        'application/yaml',
      ],
    ]
    await checkEach(imports, async ([what, body, type]) => {
      const answer = await target.send('POST', '/api/sessions/import', body, type)
      expect([400, 413], `${what}: ${answer.text.slice(0, 200)}`).toContain(answer.status)
    })
    expect(count()).toEqual(before)
  })
})

describe('a chat', () => {
  it('is refused when its text is longer than the limit, however it is put together', async () => {
    const session = `/api/sessions/${await target.newSession()}`
    const path = `${session}/chat`
    const text = 'word '.repeat(100_000)
    const part = { type: 'text', text }
    const bodies = [
      { content: 'word '.repeat(1_800_000) },
      { content: `${text}${text}x` },
      { messages: [{ role: 'user', parts: [part, part, { type: 'text', text: 'x' }] }] },
      { content: `${text}${text}x`, attachments: [{ mediaType: 'text/plain', url: 'data:text/plain,a' }] },
    ]
    for (const body of bodies) {
      const answer = await target.send('POST', path, JSON.stringify(body))
      expect(answer.status, answer.text).toBe(413)
      expect(errorIn(answer).message).toContain('1000000 (chat.maxInputCharacters)')
    }
    expect((await target.send('GET', `${session}/messages`)).text).toContain('"items":[]')
  })
})

describe('a definition of a workflow', () => {
  it.each(['/api/workflows', '/api/workflows/validate', '/api/workflow-runs'])(
    'is not parsed when it is longer than anybody writes: %s',
    async (path) => {
      const text = `name: a\n${Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`).join('\n')}`
      const answer = await target.send('POST', path, JSON.stringify({ text }))
      expect(answer.text).toMatch(/[12]00,?000/)
    },
  )
})

describe(`a log of ${lines} messages`, () => {
  it(
    'is imported, exported in every format, forked and deleted while others are answered',
    { timeout: 300_000 },
    async () => {
      const imported = await target.sendWhileAsking(
        'POST',
        '/api/sessions/import',
        jsonl,
        'application/jsonl',
      )
      expect(imported.status, imported.text.slice(0, 300)).toBe(201)
      const id = idIn(imported)
      const seen: Record<string, number> = { import: imported.answers }

      for (const format of ['json', 'jsonl', 'markdown']) {
        const answer = await target.sendWhileAsking('GET', `/api/sessions/${id}/export?format=${format}`)
        expect(answer.status).toBe(200)
        expect(answer.text).toContain(`line ${lines - 1}`)
        seen[`export as ${format}`] = answer.answers
      }
      expect((await target.send('GET', `/api/sessions/${id}/export?format=yaml`)).status).toBe(400)

      const page = JSON.parse((await target.send('GET', `/api/sessions/${id}/messages?limit=1`)).text) as {
        items: { id: string }[]
      }
      const fork = await target.sendWhileAsking(
        'POST',
        `/api/sessions/${id}/fork`,
        JSON.stringify({ messageId: page.items[0]!.id }),
      )
      expect(JSON.parse(fork.text)).toMatchObject({ messageCount: lines })
      // the rows of fewer are copied before a busy machine has sent many questions
      if (testTier === 'long') seen.fork = fork.answers

      for (const [what, answers] of Object.entries(seen))
        expect(answers, `${what}: ${JSON.stringify(seen)}`).toBeGreaterThan(answersAtLeast)

      await expectDeletedAtOnce(target, id)
      await expectDeletedAtOnce(target, idIn(fork), target.restart)
    },
  )
})

/** Nobody sees it any more from the answer on; its rows go later, and others are answered meanwhile. */
async function expectDeletedAtOnce(
  { send, database }: Target,
  id: string,
  interrupt?: () => Promise<void>,
): Promise<void> {
  const rows = () =>
    (
      database.prepare('select count(*) as count from messages where session_id = ?').get(id) as {
        count: number
      }
    ).count
  expect((await send('DELETE', `/api/sessions/${id}`)).status).toBe(204)
  for (const path of ['', '/messages', '/export', '/window', '/usage', '/prompt'])
    expect((await send('GET', `/api/sessions/${id}${path}`)).status, path).toBe(404)
  const listed = JSON.parse((await send('GET', '/api/sessions?archived=all')).text) as {
    items: { id: string }[]
  }
  expect(listed.items.map((session) => session.id)).not.toContain(id)
  await interrupt?.()
  await expect.poll(rows, { timeout: 200_000 }).toBe(0)
  await expect
    .poll(() => database.prepare('select id from sessions where id = ?').get(id), { timeout: 200_000 })
    .toBe(undefined)
}

describe('a page of messages', () => {
  it('holds fewer of them when they are long, and leaves none out', async () => {
    const id = await target.newSession()
    const path = `/api/sessions/${id}/messages`
    for (let count = 0; count < 12; count++)
      await target.send(
        'POST',
        path,
        JSON.stringify({ role: 'user', content: `${count} ${'x'.repeat(900_000)}` }),
      )
    const seen: number[] = []
    for (let before: string | null = '13'; before !== null;) {
      const answer = await target.send('GET', `${path}?limit=200&before=${before}`)
      expect(answer.text.length).toBeLessThan(6 * mebibyte)
      const page = JSON.parse(answer.text) as { items: { seq: number }[]; nextCursor: string | null }
      seen.unshift(...page.items.map(({ seq }) => seq))
      before = page.nextCursor
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  })
})
