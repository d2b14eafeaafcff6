import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createMemory, listMemories } from '../src/extensions/memory/memories.ts'
import { createVectorSearch } from '../src/extensions/memory/vectors.ts'
import { createEmbedder } from '../src/core/models/embedding.ts'
import { createParley } from '../src/parley.ts'
import { createMemoryTool } from '../src/extensions/memory/memory-tool.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { startEmbeddings } from './embedding-server.ts'
import { databases, toOptions } from './harness.ts'
import { isLearning, openMemory } from './memory-harness.ts'

const me = { scope: 'default', actor: { type: 'user' as const, id: 'tester' } }
const pages = { pageSize: 200 }

/** A model that makes these calls one after the other, then says ok. */
function caller(...inputs: Record<string, unknown>[]) {
  let step = 0
  return createScripted((request) =>
    isLearning(request) ? says('{}') : step < inputs.length ? calls(['memory', inputs[step++]]) : says('ok'),
  )
}

const outputsOf = (open: { store: Awaited<ReturnType<typeof openMemory>>['store']; sessionId: string }) =>
  open.store.listMessages('default', open.sessionId, { limit: 10 }).then((messages) =>
    messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === 'dynamic-tool')
      .map(({ output, errorText }) => output ?? errorText),
  )

describe.each(databases)('the tool memory on %s', (_name, openDatabase) => {
  it('remembers for the session and the scope, finds it again, and forgets its own', async () => {
    const inputs: Record<string, unknown>[] = [
      { action: 'remember', text: 'The build takes ten minutes' },
      { action: 'remember', layer: 'scope', text: 'Deploys happen on Friday' },
      { action: 'search', query: 'when do deploys happen' },
      { action: 'list' },
    ]
    await using open = await openMemory(openDatabase, caller(...inputs))
    await open.learn('Take notes')
    const [kept, , found, listed] = await outputsOf(open)
    expect(found).toMatchObject([
      { layer: 'scope', text: 'Deploys happen on Friday', author: 'model', origin: 'assistant' },
    ])
    expect(listed).toHaveLength(2)
    expect((await open.find('session', 'The build takes ten minutes')).source).toMatchObject({
      sessionId: open.sessionId,
      messageSeq: 2,
    })
    expect(kept).toEqual({ id: (await open.find('session', 'The build takes ten minutes')).id })
  })

  it('keeps of the user what the user wrote, as it was written, and nothing else', async () => {
    const remember = (evidence?: string) => ({
      action: 'remember',
      layer: 'user',
      text: 'The user loves mail',
      ...(evidence && { evidence }),
    })
    await using open = await openMemory(
      openDatabase,
      caller(remember(), remember('I love mail'), remember('send me mail')),
    )
    await open.learn('Hello. Do not send me mail, ever! Thanks.')
    const [bare, invented, kept] = await outputsOf(open)
    expect(bare).toContain('needs "evidence"')
    expect(invented).toContain('The user has not said that')
    expect(kept).toEqual({ id: expect.any(String) })
    expect(await open.texts('user')).toEqual(['Do not send me mail, ever!'])
  })

  it('forgets nothing of other sessions and scopes, and of another layer only when it says so', async () => {
    const ids: Record<string, string> = {}
    await using open = await openMemory(openDatabase, caller())
    const { id: sibling } = await open.store.createSession({ scope: 'default' })
    ids.sibling = (await createMemory(open.store, me, { layer: 'session', sessionId: sibling, text: 'a' })).id
    ids.foreign = (
      await createMemory(open.store, { ...me, scope: 'other' }, { layer: 'scope', text: 'b' })
    ).id
    ids.scope = (await createMemory(open.store, me, { layer: 'scope', text: 'c' })).id
    ids.own = (
      await createMemory(open.store, me, { layer: 'session', sessionId: open.sessionId, text: 'd' })
    ).id
    const context = {
      scope: 'default',
      sessionId: open.sessionId,
      runId: 'run_1',
      toolCallId: 'call_1',
      workspaces: { granted: [] },
      signal: new AbortController().signal,
    }
    const { control } = open.memory
    const missing = { code: 'not_found' }
    await expect(control.forget(context, { id: ids.sibling, layer: 'session' })).rejects.toMatchObject(
      missing,
    )
    await expect(control.forget(context, { id: ids.foreign, layer: 'scope' })).rejects.toMatchObject(missing)
    await expect(control.forget(context, { id: ids.scope, layer: 'session' })).rejects.toThrow(
      'layer "scope"',
    )
    await control.forget(context, { id: ids.scope, layer: 'scope' })
    await control.forget(context, { id: ids.own, layer: 'session' })
    expect(await open.texts('scope')).toEqual([])
    expect(await open.texts('session')).toEqual([])
  })

  it('asks a person before it keeps something of the user', async () => {
    await using database = await openDatabase()
    const model = caller({ action: 'remember', layer: 'user', evidence: 'I like tea' })
    await using parley = await createParley({
      ...toOptions(database),
      memory: {},
      models: { model: 'scripted/test', extra: { scripted: () => model } },
    })
    const { id } = await parley.sessions.create({})
    const answer = parley.sessions.chat(id, 'I like tea. Remember it.')
    void Promise.resolve(answer).catch(() => {})
    const pending = async () => (await parley.approvals.list()).items
    await expect.poll(async () => (await pending()).length).toBe(1)
    const [asked] = await pending()
    expect(asked).toMatchObject({ toolName: 'memory', action: 'remember' })
    expect((await parley.memories.list()).items).toEqual([])
    await parley.approvals.decide(asked!.id, { decision: 'approve' })
    await answer
    expect((await parley.memories.list()).items).toMatchObject([{ layer: 'user', text: 'I like tea.' }])
  })
})

describe('what the tool asks about', () => {
  const tool = createMemoryTool({} as never)
  const effectOf = (input: unknown) => tool.access!(tool.input.parse(input), { granted: [] }).effect
  it.each([
    [{ action: 'search', query: 'x' }, 'read'],
    [{ action: 'list', layer: 'user' }, 'read'],
    [{ action: 'remember', text: 'x' }, 'read'],
    [{ action: 'remember', layer: 'scope', text: 'x' }, 'read'],
    [{ action: 'remember', layer: 'user', evidence: 'xx' }, 'write'],
    [{ action: 'forget', id: 'mem_1' }, 'read'],
    [{ action: 'forget', layer: 'scope', id: 'mem_1' }, 'write'],
    [{ action: 'forget', layer: 'user', id: 'mem_1' }, 'write'],
  ])('of %j is: %s', (input, effect) => {
    expect(effectOf(input)).toBe(effect)
  })
})

describe.each(databases)('search by meaning on %s', (_name, openDatabase) => {
  it('finds what has none of the words, embeds each text once, and does without when it must', async () => {
    await using server = await startEmbeddings()
    await using open = await openMemory(openDatabase, caller())
    const embedder = createEmbedder('openai/small', () => ({
      id: 'openai/small',
      model: 'small',
      settings: { apiKey: 'key', baseUrl: server.baseUrl },
    }))
    const vectors = createVectorSearch(open.store, embedder, pino({ level: 'silent' }))
    for (const text of ['felines purr', 'boats float', 'a kitten slept'])
      await createMemory(open.store, me, { layer: 'scope', text })
    const search = async (q: string) =>
      (await listMemories(open.store, { pages, vectors }, me, { q, layer: 'scope' })).items.map(
        ({ text }) => text,
      )
    expect((await search('cat')).sort()).toEqual(['a kitten slept', 'felines purr'])
    expect((await search('cat boats'))[0]).toBe('boats float')
    const embedded = server.asked.flat().filter((text) => !text.startsWith('cat'))
    expect(embedded.sort()).toEqual(['a kitten slept', 'boats float', 'felines purr'])
    server.goDown()
    expect(await search('kitten')).toEqual(['a kitten slept'])
  })
})
