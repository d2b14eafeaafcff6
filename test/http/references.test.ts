import { describe, expect, it } from 'vitest'
import { createScripted, says } from '../chat-harness.ts'
import {
  addSession,
  checkEach,
  isDescribed,
  routesOf,
  speaksMcp,
  startApp,
  validRequestOf,
  type Answer,
  type AppServer,
  type RouterEntry,
} from './app-server.ts'
import { fieldsOf, withField, type ApiDocument } from './request-fields.ts'

/**
 * Whatever a request can name inside itself, by the OpenAPI document: sessions, runs, plans, threads, agents. One that
 * another scope has must be answered as one that nobody has. A new field is found by itself.
 */

// as long as the other; the harness gives everything of a scope the id of its session
const unknownId = () => `ses_${crypto.randomUUID().replaceAll('-', '').slice(0, 26)}`

/** A place in a request that takes the name of something that is stored. */
interface Reference {
  route: RouterEntry
  where: string
  put(request: Request, id: string): Request
}

interface Request {
  path: string
  body?: Record<string, unknown>
}

// numbers of nodes count within a plan, and MCP servers are the same in all scopes
const isReference = (name: string) =>
  /(Id|Ids|Refs|Target)$|^(id|parent|thread|agents|session|plan|workflow|run)$/.test(name) &&
  !/^(nodeId|allowedMcpServerIds)$/.test(name)

describe('something of another scope that a request names', () => {
  it('is answered like something that does not exist, wherever it is named', async () => {
    const model = createScripted(() => says('Hello'))
    await using server = await startApp({ model })
    const red = await addSession(server, 'red', 'the red canary')
    const document = (await server.send('GET', '/openapi.json')).json as unknown as ApiDocument
    // an import makes the thread that it names, so that the next one would find it
    const isImport = ({ route }: Reference) => (route.path.endsWith('/import') ? 1 : 0)
    const references = [...referencesIn(server, document)].sort((one, two) => isImport(one) - isImport(two))
    expect(references.length).toBeGreaterThanOrEqual(45)
    const redBefore = rowsOf(server, 'red')
    let blue = await addSession(server, 'blue', 'a blue text')
    await checkEach(references, async ({ route, where, put }) => {
      const ask = async (id: string) => {
        const valid = validRequestOf(route, { id: blue.id, messageId: blue.messageIds[0]!, scope: 'blue' })
        const { path, body } = put(valid, id)
        const answer = await server.send(route.method, path, { body })
        const told = said(answer, id, blue.id, ...blue.messageIds)
        // something new to work on, since it changed or ended the old
        if (route.method !== 'GET' && answer.status < 300)
          blue = await addSession(server, 'blue', 'a blue text')
        return { answer, told }
      }
      const foreign = await ask(red.id)
      const unknown = await ask(unknownId())
      const hint = `${route.method} ${route.path} with ${where}`
      expect(foreign.answer.status, `${hint} → ${foreign.answer.text}`).toBeLessThan(500)
      // it was looked for, and not refused for some other reason
      if (foreign.answer.status === 400) expect(foreign.answer.text, hint).toContain('there is no agent')
      if (foreign.told !== unknown.told) expect.fail(`${hint}: ${foreign.told} differs from ${unknown.told}`)
      expect(foreign.answer.text, hint).not.toMatch(/red canary|of red/)
    })
    expect(JSON.stringify(model.requests)).not.toMatch(/red canary|of red/)
    expect(rowsOf(server, 'red')).toEqual(redBefore)
    expect(server.bugs()).toEqual([])
  })
})

function* referencesIn(server: AppServer, document: ApiDocument): Generator<Reference> {
  for (const route of routesOf(server).filter((one) => isDescribed(one) && !speaksMcp(one))) {
    const template = route.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = document.paths[template]![route.method.toLowerCase()]!
    for (const parameter of operation.parameters ?? [])
      if (parameter.in === 'query' && isReference(parameter.name))
        yield {
          route,
          where: `?${parameter.name}=`,
          put: ({ path, body }, id) => ({
            path: `${path}${path.includes('?') ? '&' : '?'}${parameter.name}=${id}`,
            body,
          }),
        }
    const [, second] = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    // of things within things: the outer one is there, the inner one is somebody else's
    if (second !== undefined && isReference(second))
      yield { route, where: `:${second}`, put: ({ path, body }, id) => ({ path: withInner(path, id), body }) }
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) continue
    for (const { keys, isList, isText } of fieldsOf(schema, document, new Set()))
      if (isReference(keys.at(-1)!) && isText && keys[0] !== 'toolGroups')
        yield {
          route,
          where: keys.join('.'),
          put(request, id) {
            const { path, body } = prepared(`${route.method} ${route.path}`, keys, request)
            return { path, body: withField(body ?? {}, keys, isList ? [id] : id) }
          },
        }
  }
}

/** The last id of a path, which is followed by a word at most. */
const withInner = (path: string, id: string) =>
  path.replace(/(\/[^/?]+\/)([^/?]+)((?:\/[a-z]+)?(?:\?|$))/, `$1${id}$3`)

/** With what stands beside the field, without which it would not even be looked at. */
function prepared(route: string, keys: string[], { path, body }: Request): Request {
  const field = `${route} ${keys.join('.')}`
  if (route === 'POST /api/sessions/import')
    return {
      path: `${path}?scope=blue`,
      body: { format: 'parley.session', version: 1, session: beside[keys[1]!] ?? {}, messages: [] },
    }
  if (field === 'PATCH /api/sessions/:id agents') return { path: `${path}_room`, body }
  return { path, body: { ...body, ...beside[field] } }
}

const task = { kind: 'background', prompt: 'go' }
const beside: Record<string, Record<string, unknown>> = {
  'POST /api/sessions parentSessionId': task,
  'POST /api/sessions announceTarget': task,
  'POST /api/sessions agents': { mode: 'free_chat' },
  'POST /api/sessions toolMeta.workflowDefId': { kind: 'tool', toolMeta: { source: 'workflow' } },
  'POST /api/memories sessionId': { layer: 'session' },
  // of sessions in documents
  agents: { mode: 'free_chat' },
  bgMeta: { kind: 'background', bgMeta: { triggerType: 'api' } },
  toolMeta: { kind: 'tool', toolMeta: { source: 'workflow' } },
  forkedFrom: { forkedFrom: { sessionId: 'none', messageId: 'none' } },
}

/** What an answer says, apart from names and times of its own. */
function said({ status, text }: Answer, ...ids: string[]): string {
  const plain = ids.reduce((rest, id) => rest.replaceAll(id, 'ID'), text)
  const nameless = plain.replaceAll(/\b[a-z]{2,4}_[a-z0-9]{10,40}\b/g, 'ID')
  return `${status} ${nameless.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')}`
}

/** The rows of a scope, as far as a table says whose they are. */
const rowsOf = (server: AppServer, scope: string) =>
  server
    .dump()
    .split('\n')
    .filter((row) => row.includes(`"${scope}"`))
