import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { calls, createScripted } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { expectRefusal, startApp, type AppServer } from './http/app-server.ts'
import { shown, triple } from './knowledge-harness.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const clientOf = ({ url }: AppServer, apiKey = 'operator-0123456789') =>
  createClient({ baseUrl: url, apiKey })

describe.each(anyDatabase)('over HTTP on %s', (_name, openDatabase) => {
  it('knowledge is imported, asked for, listed and forgotten', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { knowledge } = clientOf(server)
    const source = 'a / b? #1 人'
    const imported = await knowledge.import({ source, triples: [triple('Ann > knows > Bob')] })
    expect(imported).toMatchObject({ added: 1, source: { name: source, relations: 1 } })
    const answer = await knowledge.query({ query: 'Ann', top_k: 500, return_subgraph: false })
    expect(answer.triples.map(shown)).toEqual(['Ann > knows > Bob'])
    expect(answer.metadata.topK).toBe(20)
    expect(answer).not.toHaveProperty('subgraph')
    expect(await knowledge.stats()).toMatchObject({ entities: 2, relations: 1, imports: 1 })
    expect((await knowledge.entities({ q: 'AN' })).items).toMatchObject([{ name: 'Ann' }])
    expect((await knowledge.sources()).items).toMatchObject([{ name: source }])
    await knowledge.forget(source)
    await expect(knowledge.forget(source)).rejects.toMatchObject({ code: 'not_found' })
    await expect(knowledge.query({ query: 'Ann' })).rejects.toMatchObject({ code: 'not_found' })
    const audit = await server.store.listAudit('default', { resourceType: 'knowledge', limit: 10 })
    expect(audit.items.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['delete', 'operator'],
      ['import', 'operator'],
    ])
    expect(server.bugs()).toEqual([])
  })

  it('documents are read, and it can be asked how that goes', async () => {
    await using database = await openDatabase()
    const model = createScripted(() => calls(['set_result', { triples: [triple('sun > warms > earth')] }]))
    await using server = await startApp({ apiKeys, database, model, background: {} })
    const { knowledge, documents } = clientOf(server)
    const { id } = await documents.create({ title: 'Sky', content: 'The sun warms the earth.' })
    const started = await server.send('POST', '/api/knowledge/extract', {
      headers: { authorization: 'Bearer operator-0123456789' },
    })
    expect(started.status, started.text).toBe(202)
    expect(started.json).toMatchObject({ more: false, items: [{ name: id, title: 'Sky' }] })
    await expect.poll(async () => (await knowledge.sources({ name: id })).items[0]?.status).toBe('done')
    expect((await knowledge.query({ query: 'sun' })).triples[0]!.sources).toMatchObject([
      { documentId: id, title: 'Sky', version: 1 },
    ])
    await documents.delete(id)
    expect(await knowledge.stats()).toMatchObject({ entities: 0, relations: 0 })
    expect(server.bugs()).toEqual([])
  })

  it('a key makes one import of many posts', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const post = () =>
      server.send('POST', '/api/knowledge/import', {
        headers: { 'idempotency-key': 'once' },
        body: { source: 's', triples: [triple('a > is > b')] },
      })
    const answers = await Promise.all(Array.from({ length: 10 }, post))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]!.json).toMatchObject({ added: 1 })
  })
})

it('a key that is bound to a scope sees and changes no other', async () => {
  await using database = await sqliteDatabase()
  await using server = await startApp({ apiKeys, database })
  const [operator, guest] = [clientOf(server).knowledge, clientOf(server, 'guest-0123456789012').knowledge]
  await operator.import({ source: 's', triples: [triple('a > is > secret')] })
  await guest.import({ scope: 'red', source: 's', triples: [triple('a > is > b')] })
  expect((await guest.query({ scope: 'red', query: 'a' })).triples.map(shown)).toEqual(['a > is > b'])
  for (const call of [
    guest.query({ query: 'a' }),
    guest.stats(),
    guest.sources(),
    guest.entities(),
    guest.forget('s'),
    guest.extract(),
    guest.import({ source: 's', triples: [] }),
  ])
    await expect(call).rejects.toMatchObject({ code: 'forbidden' })
  expect(await operator.stats()).toMatchObject({ relations: 1 })
})

it('says what is wrong with a request', async () => {
  await using server = await startApp()
  const post = (path: string, body: unknown) => server.send('POST', `/api/knowledge/${path}`, { body })
  const wrong: [string, unknown, string][] = [
    ['query', {}, 'query'],
    ['query', { query: '' }, 'query'],
    ['query', { query: 'a', focus_entities: [''] }, 'focus_entities'],
    ['query', { query: 'a', topK: 3 }, 'topK'],
    ['import', { source: 's', triples: [{ subject: 'a', predicate: 'b' }] }, 'triples.0.object'],
    ['import', { source: 's', triples: Array.from({ length: 10_001 }, () => 1) }, 'triples'],
    ['extract', { documentIds: ['../x'] }, 'documentIds'],
  ]
  for (const [path, body, place] of wrong)
    expect(
      expectRefusal(await post(path, body), `${path} ${JSON.stringify(body).slice(0, 80)}`, 400).message,
    ).toContain(place)
  expect(expectRefusal(await post('query', { query: 'a' }), 'nothing is known', 404).code).toBe('not_found')
  expect(server.bugs()).toEqual([])
})
