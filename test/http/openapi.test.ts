import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import {
  addSession,
  checkEach,
  expectRefusal,
  isDescribed,
  rawRequest,
  routesOf,
  speaksMcp,
  startApp,
  validRequestOf,
  type Answer,
  type AppServer,
  type RouterEntry,
  listed,
} from './app-server.ts'

interface Operation {
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown }[]
  requestBody?: { content: Record<string, { schema?: unknown }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>
}

interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
  security: Record<string, unknown>[]
}

async function readDocument(server: AppServer): Promise<Document> {
  const answer = await server.send('GET', '/openapi.json')
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  return answer.json as unknown as Document
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

const inOpenApi = ({ method, path }: RouterEntry) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
const apiRoutes = (server: AppServer) => routesOf(server).filter(isDescribed)

/** Every object in the document, with the way to it. */
function* objectsIn(value: unknown, path = '#'): Generator<[path: string, fields: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>]
  for (const [key, entry] of Object.entries(value)) yield* objectsIn(entry, `${path}/${key}`)
}

describe('the OpenAPI document', () => {
  it('is version 3.1 and describes this server', async () => {
    await using server = await startApp()
    const document = await readDocument(server)
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Parley', version: '0.0.0' })
    for (const name of document.security.flatMap((entry) => Object.keys(entry)))
      expect(document.components.securitySchemes).toHaveProperty(name)
  })

  it('is the one that is committed; node scripts/schema.ts writes that', async () => {
    await using server = await startApp()
    const { info, ...served } = await readDocument(server)
    const path = join(import.meta.dirname, '../../schema/openapi.json')
    const committed = JSON.parse(readFileSync(path, 'utf8')) as Document
    expect(served).toEqual({ ...committed, info: undefined })
    expect({ ...info, version: '' }).toEqual({ ...committed.info, version: '' })
  })

  it('has every route of the router under /api, /v1 and /chat, and no other', async () => {
    await using server = await startApp()
    const documented = operationsOf(await readDocument(server)).map(({ name }) => name)
    expect(documented.sort()).toEqual(apiRoutes(server).map(inOpenApi).sort())
  })

  it('holds only references that lead somewhere', async () => {
    await using server = await startApp()
    const document = await readDocument(server)
    let references = 0
    await checkEach(objectsIn(document), async ([path, fields]) => {
      if (typeof fields.$ref !== 'string') return
      references++
      const target = fields.$ref
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>(
          (value, key) => (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/')],
          document,
        )
      expect(target, `${path} refers to ${fields.$ref}`).toBeTypeOf('object')
    })
    expect(references).toBeGreaterThan(10)
  })

  it('is JSON Schema of 2020-12, without the words of OpenAPI 3.0', async () => {
    await using server = await startApp()
    await checkEach(objectsIn(await readDocument(server)), async ([path, fields]) => {
      expect(fields, path).not.toHaveProperty('nullable')
      if (path.includes('/properties')) return // a field may have any name
      if ('exclusiveMinimum' in fields) expect(typeof fields.exclusiveMinimum, path).toBe('number')
      if (Array.isArray(fields.required))
        expect(new Set(fields.required).size, path).toBe(fields.required.length)
    })
  })

  it('takes null for what null takes away, and has patterns that fit', async () => {
    await using server = await startApp()
    const document = await readDocument(server)
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
    ajv.addSchema(document, 'api')
    const fits = (name: string, value: unknown) =>
      ajv.validate({ $ref: `api#/components/schemas/${name}` }, value)
    expect(fits('UpdateSession', { room: null, thread: null, model: null })).toBe(true)
    expect(fits('UpdateSession', { room: { policy: 'nobody' } })).toBe(false)
    for (const name of ['UpdateCron', 'UpdateEventHook']) {
      expect(fits(name, { budget: null }), name).toBe(true)
      expect(fits(name, { budget: 5 }), name).toBe(false)
    }
    expect(fits('CreateAgent', { name: 'mira' })).toBe(true)
    expect(fits('CreateAgent', { name: '-' })).toBe(false)
  })

  it('says for every operation what it takes and how it answers', async () => {
    await using server = await startApp()
    await checkEach(operationsOf(await readDocument(server)), async ({ name, path, operation }) => {
      expect(operation.summary ?? '', name).not.toBe('')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map((parameter) => parameter.name).sort(), name).toEqual(inPath.sort())
      expect(
        declared.every(({ required }) => required === true),
        name,
      ).toBe(true)
      for (const parameter of operation.parameters ?? [])
        expect(parameter.schema, `${name} ${parameter.name}`).toBeTypeOf('object')
      if (/^(POST|PATCH|PUT) /.test(name) && !path.endsWith('/stop'))
        expect(operation.requestBody?.content['application/json']?.schema, name).toBeTypeOf('object')
      const statuses = Object.keys(operation.responses)
      expect(
        statuses.some((status) => status.startsWith('2')),
        name,
      ).toBe(true)
      expect(statuses, name).toEqual(expect.arrayContaining(['400', '401', '403']))
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description ?? '', `${name} ${status}`).not.toBe('')
        if (status.startsWith('4'))
          expect(response.content?.['application/json']?.schema, `${name} ${status}`).toEqual({
            $ref: `#/components/schemas/${errorsUnder(path)}`,
          })
      }
    })
  })

  it('says that a scope can be given wherever one counts', async () => {
    await using server = await startApp()
    await checkEach(operationsOf(await readDocument(server)), async ({ name, operation }) => {
      const inQuery = (operation.parameters ?? []).some(
        (parameter) => parameter.in === 'query' && parameter.name === 'scope',
      )
      expect(inQuery, `${name} has no query parameter "scope"`).toBe(true)
    })
  })

  it('names the status that a valid request gets, and those of its refusals', async () => {
    await using server = await startApp()
    const operations = new Map(
      operationsOf(await readDocument(server)).map(({ name, operation }) => [name, operation]),
    )
    await checkEach(apiRoutes(server), async (route) => {
      const { id, messageIds } = await addSession(server, 'default', 'one')
      const documented = Object.keys(operations.get(inOpenApi(route))!.responses)
      for (const known of [id, 'unknown', '%20']) {
        const { path, body } = validRequestOf(route, {
          id: known,
          messageId: messageIds[0]!,
          scope: 'default',
        })
        const { status } = await server.send(route.method, path, { body })
        expect(documented, `${route.method} ${path}`).toContain(String(status))
      }
    })
  })
})

const errorsUnder = (path: string) =>
  path.startsWith('/v1/messages') ? 'AnthropicError' : path.startsWith('/v1/') ? 'OpenAiError' : 'Error'

describe('the page at /docs', () => {
  it('and everything it loads come from this server', async () => {
    await using server = await startApp()
    const page = await server.send('GET', '/docs')
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toMatch(/^text\/html/)
    expect(page.text).not.toMatch(/https?:|["'(]\/\//)
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThanOrEqual(3)
    for (const link of links) {
      expect(link).toMatch(/^\/(?!\/)/)
      const asset = await server.send('GET', link)
      expect(asset.status, link).toBe(200)
      expect(asset.headers['content-type'], link).toMatch(
        link.endsWith('.css') ? /^text\/css/ : /^(text|application)\/javascript/,
      )
      expect(asset.text.length).toBeGreaterThan(50)
    }
    const style = await server.send('GET', '/docs/swagger-ui.css')
    expect(style.text).not.toMatch(/@import|url\(\s*["']?(https?:)?\/\//)
  })

  it('asks nobody else about the document', async () => {
    await using server = await startApp()
    const { text } = await server.send('GET', '/docs/start.js')
    expect(text).toContain('/openapi.json')
    expect(text).not.toMatch(/https?:/)
    // otherwise Swagger UI shows its document to validator.swagger.io
    expect(text).toMatch(/validatorUrl: (null|'none')/)
  })

  it('has no inline script, which its policy would not run', async () => {
    await using server = await startApp()
    const { text } = await server.send('GET', '/docs')
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
    expect(text).not.toMatch(/\bon\w+="/)
  })
})

function expectSecure({ headers }: Answer, hint: string, isDocs = false): void {
  const policy = new Map(
    String(headers['content-security-policy'])
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name, ...values]) => [name!, values]),
  )
  expect(policy.get('default-src'), hint).toEqual(["'none'"])
  expect(policy.get('frame-ancestors'), hint).toEqual(["'none'"])
  expect(policy.get('base-uri'), hint).toEqual(["'none'"])
  for (const [name, values] of policy) {
    const unsafe = values.filter(
      (value) => value.startsWith("'unsafe") || value === '*' || /^https?:/.test(value),
    )
    expect(unsafe, `${hint}: ${name}`).toEqual(isDocs && name === 'style-src' ? ["'unsafe-inline'"] : [])
  }
  expect(headers['x-content-type-options'], hint).toBe('nosniff')
  expect(headers['referrer-policy'], hint).toBe('no-referrer')
  expect(headers['x-frame-options'], hint).toBe('DENY')
  expect(headers['x-request-id'] ?? '', hint).toMatch(/^req_/)
  expect(headers['x-powered-by'], hint).toBeUndefined()
  expect(headers.server, hint).toBeUndefined()
}

describe('security headers', () => {
  it('stand on the answer of every route', async () => {
    await using server = await startApp()
    await checkEach(routesOf(server), async (route) => {
      const { id, messageIds } = await addSession(server, 'default', 'one')
      const { path, body } = validRequestOf(route, { id, messageId: messageIds[0]!, scope: 'default' })
      const answer = await server.send(route.method, path, { body })
      // an input that waits is there for a moment only, only a background session has a result, only a turn has steps, and
      // only a response is one
      if (!speaksMcp(route) && !/\/queue\/|\/result$|\/:step$|^\/v1\/responses\//.test(route.path))
        expect(answer.status, `${route.method} ${path}`).toBeLessThan(300)
      expectSecure(answer, `${route.method} ${path}`, path === '/docs')
    })
  })

  it('stand on every refusal', async () => {
    const key = 'k'.repeat(32)
    const allowed = 'https://app.example'
    await using open = await startApp({ limits: { bodyBytes: 1_024 }, allowedOrigins: [allowed] })
    await using shut = await startApp({ apiKeys: [{ name: 'main', key, scopes: ['red'] }] })
    const json = { 'content-type': 'application/json' }
    const refusals: [number, Promise<Answer>][] = [
      [400, open.send('POST', '/api/sessions', { headers: json, body: '{' })],
      [401, shut.send('GET', '/api/sessions')],
      [403, shut.send('GET', '/api/sessions', { headers: { authorization: `Bearer ${key}` } })],
      [403, open.send('GET', '/api/sessions', { headers: { origin: 'https://evil.test' } })],
      [404, open.send('GET', '/nowhere')],
      [404, open.send('GET', '/api/sessions/unknown')],
      [405, open.send('PUT', '/api/sessions')],
      [413, open.send('POST', '/api/sessions', { headers: json, body: ' '.repeat(2_000) })],
      [415, open.send('POST', '/api/sessions', { headers: { 'content-type': 'text/plain' }, body: 'x' })],
      [421, open.send('GET', '/api/sessions', { headers: { host: 'evil.test' } })],
      [
        204,
        open.send('OPTIONS', '/api/sessions', {
          headers: { origin: allowed, 'access-control-request-method': 'POST' },
        }),
      ],
    ]
    await checkEach(refusals, async ([status, sent]) => {
      const answer = await sent
      expect(answer.status).toBe(status)
      expectSecure(answer, `a ${status}`)
    })
  })
})

describe('a path or method that does not exist', () => {
  it('is answered with 404 and itself', async () => {
    await using server = await startApp()
    await checkEach(
      listed`
        /nowhere   /api   /api/   /api/session   /api/sessions/a/b   /api/sessions/   /docs/none.js
        /assets/none.js   /index.html   /.git/config   /favicon.ico
      `,
      async (path) => {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const answer = await server.send(method, path)
          const { code, message } = expectRefusal(answer, `${method} ${path}`, 404)
          expect(code).toBe('not_found')
          expect(message).toContain(path)
        }
      },
    )
  })

  it('is answered with 405 and the methods that the path has', async () => {
    await using server = await startApp()
    const paths = Map.groupBy(routesOf(server), ({ path }) => path)
    // "import" could be the id of a session as well, "preview" that of a cron, and so on
    for (const path of ['/api/sessions/import', '/api/sessions/import-file', '/api/crons/preview'])
      paths.delete(path)
    for (const name of ['validate', 'templates', 'schema', 'management-session'])
      paths.delete(`/api/workflows/${name}`)
    await checkEach(paths, async ([pattern, routes]) => {
      const allowed = routes.map(({ method }) => method)
      if (allowed.includes('GET')) allowed.push('HEAD')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (name) => !allowed.includes(name),
      )) {
        const answer = await server.send(method, pattern.replace(':id', 'unknown'))
        expect(expectRefusal(answer, `${method} ${pattern}`, 405).code).toBe('method_not_allowed')
        expect(String(answer.headers.allow).split(', ').sort(), pattern).toEqual([...allowed].sort())
      }
    })
  })

  it('is no HEAD where there is a GET: that has the headers and no body', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'one')
    for (const path of ['/healthz', '/api/sessions', `/api/sessions/${id}`, '/docs']) {
      const answer = await server.send('HEAD', path)
      expect([answer.status, answer.text], path).toEqual([200, ''])
    }
  })
})

describe('the workbench', () => {
  function buildWorkbench(folder: string): string {
    const dist = join(folder, 'dist')
    mkdirSync(join(dist, 'assets'), { recursive: true })
    writeFileSync(join(dist, 'index.html'), '<!doctype html><title>Parley</title>')
    writeFileSync(join(dist, 'assets', 'app-1a2b.js'), 'export {}')
    writeFileSync(join(dist, 'notes.txt'), 'not an asset')
    writeFileSync(join(folder, 'secret.txt'), 'a secret')
    return dist
  }

  it('is served with its assets, under the same policy', async () => {
    using folder = temporaryFolder()
    await using server = await startApp({ workbenchDir: buildWorkbench(folder.path) })
    const page = await server.send('GET', '/')
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(page.text).toContain('<title>Parley</title>')
    expectSecure(page, '/')
    const asset = await server.send('GET', '/assets/app-1a2b.js')
    expect(asset.headers['content-type']).toMatch(/javascript/)
    expect(asset.headers['cache-control']).toContain('immutable')
    expectSecure(asset, 'an asset')
  })

  it('gives no file outside its assets, whatever the path says', async () => {
    using folder = temporaryFolder()
    await using server = await startApp({ workbenchDir: buildWorkbench(folder.path) })
    const targets = [
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/..%5c..%5csecret.txt',
      '/assets/....//....//secret.txt',
      '/assets//etc/passwd',
      '/assets/%2fetc%2fpasswd',
      `/assets/${encodeURIComponent(join(folder.path, 'secret.txt'))}`,
      '/assets/../notes.txt',
      '/assets/%2e%2e/notes.txt',
      '/assets/..%2fnotes.txt',
      '/assets/%00',
      '/assets/app-1a2b.js%00.png',
      '/assets/',
      '/assets',
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/%',
      '/assets/%ff',
      `/assets/${'a/'.repeat(2_000)}`,
      `/assets/${'a'.repeat(5_000)}`,
    ]
    await checkEach(targets, async (target) => {
      const answer = await server.sendRaw(
        rawRequest(`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`),
      )
      expect([400, 404], `${target.slice(0, 100)} → ${answer.status} ${answer.text.slice(0, 200)}`).toContain(
        answer.status,
      )
      expect(answer.text).not.toMatch(/secret"|a secret|not an asset|root:/)
    })
    expect(server.bugs()).toEqual([])
  })
})
