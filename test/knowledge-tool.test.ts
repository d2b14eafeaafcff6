import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { queryKnowledge } from '../src/extensions/knowledge/query-knowledge.ts'
import { createEntityVectors } from '../src/extensions/knowledge/vectors.ts'
import { createEmbedder } from '../src/core/models/embedding.ts'
import { knowledgeQuerySchema } from '../src/extensions/knowledge/protocol/knowledge.ts'
import { createGraphRagTool } from '../src/extensions/knowledge/graph-rag-tool.ts'
import { accessOf } from '../src/core/tools/tool.ts'
import { calls, says } from './chat-harness.ts'
import { startEmbeddings } from './embedding-server.ts'
import { databases, sqliteDatabase } from './harness.ts'
import { openKnowledge } from './knowledge-harness.ts'

it('lets a model ask the graph of its own scope, without asking a person', async () => {
  const input = { query: 'Ann', top_k: 'all', hops: 7, focus_entities: 'Bob', return_subgraph: false }
  await using opened = await openKnowledge(sqliteDatabase, ({ messages }) =>
    messages.at(-1)!.role === 'tool' ? says('Acme.') : calls(['graph_rag', input]),
  )
  const { parley, model } = opened
  await opened.import('people', ['Ann > founded > Acme', 'Bob > joined > Acme'])
  await opened.import('elsewhere', ['Ann > hides > a secret'], { scope: 'other' })
  const session = await parley.sessions.create()
  const { run } = await parley.sessions.chat(session.id, 'Look it up in the knowledge graph.')
  expect(run.status).toBe('completed')
  const [first] = model.requests
  expect(first!.tools.find(({ name }) => name === 'use_tool')!.description).toMatch(
    /\n- graph_rag: .* knowledge graph .* only when the user explicitly asks for it\./,
  )
  const spec = (await parley.catalogue.tools()).items.find(({ name }) => name === 'graph_rag')!
  expect(spec.inputSchema).toMatchObject({
    required: ['query'],
    properties: {
      top_k: { type: 'integer', minimum: 1, maximum: 20 },
      hops: { type: 'integer', maximum: 2 },
      focus_entities: { type: 'array' },
      return_subgraph: { type: 'boolean' },
    },
  })
  const answer = JSON.stringify(model.requests[1]!.messages.at(-1))
  expect(answer).toContain('founded')
  expect(answer).toContain('joined')
  expect(answer).not.toContain('secret')
  expect(answer).not.toContain('subgraph')
})

it('tells the model what is missing when nothing is known', async () => {
  await using opened = await openKnowledge(sqliteDatabase, ({ messages }) =>
    messages.at(-1)!.role === 'tool' ? says('Nothing.') : calls(['graph_rag', { query: 'Ann' }]),
  )
  const session = await opened.parley.sessions.create()
  await opened.parley.sessions.chat(session.id, 'Look it up.')
  expect(JSON.stringify(opened.model.requests[1]!.messages.at(-1))).toContain('knowledge extract')
})

it('only reads, is of the group plan, and refuses an empty question', () => {
  const tool = createGraphRagTool({ query: () => Promise.reject(new Error('not asked')) })
  expect(tool).toMatchObject({ name: 'graph_rag', group: 'plan', isIdempotent: true })
  expect(accessOf(tool, { query: 'x' }, { granted: [] })).toMatchObject({ effect: 'read' })
  for (const input of [{}, { query: '' }, { query: ' ' }, { query: 'x', other: 1 }])
    expect(tool.input.safeParse(input).success).toBe(false)
})

describe.each(databases)('a question by meaning on %s', (_name, openDatabase) => {
  it('begins at what has none of the words, embeds each name once, and does without when it must', async () => {
    await using server = await startEmbeddings()
    await using opened = await openKnowledge(openDatabase)
    const { store } = opened.parley
    const embedder = createEmbedder('openai/small', () => ({
      id: 'openai/small',
      model: 'small',
      settings: { apiKey: 'key', baseUrl: server.baseUrl },
    }))
    const vectors = createEntityVectors(store, embedder, pino({ level: 'silent' }))
    const ask = async (query: string) => {
      const { scope: _scope, ...question } = knowledgeQuerySchema.parse({ query })
      return queryKnowledge({ store, vectors }, { scope: 'default' }, question)
    }
    await opened.import('animals', ['feline > chases > mouse', 'boat > crosses > lake'])
    const { triples, metadata } = await ask('cats')
    expect(triples).toMatchObject([{ subject: 'feline', object: 'mouse' }])
    expect(metadata.entryPoints).toMatchObject([{ name: 'feline', by: ['meaning'] }])
    await ask('cats')
    const embedded = server.asked.flat().filter((text) => text !== 'cats')
    expect(embedded.sort()).toEqual(['boat', 'feline', 'lake', 'mouse'])
    // what is called otherwise now is embedded once more
    await opened.import('others', ['Feline > is > an animal'])
    await ask('cats')
    expect(server.asked.flat().filter((text) => /feline/i.test(text))).toEqual(['feline', 'Feline'])
    server.goDown()
    expect((await ask('boat')).triples).toMatchObject([{ subject: 'boat' }])
    expect((await ask('cats')).triples).toEqual([])
  })
})
