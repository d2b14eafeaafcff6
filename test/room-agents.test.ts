import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { createParley, type Parley } from '../src/index.ts'
import { databases, temporaryFolder, toOptions } from './harness.ts'
import { expectRefusal, startApp } from './http/app-server.ts'

const shipped = ['coder', 'mira', 'pip', 'quill', 'reviewer', 'tester']
const namesOf = async ({ agents }: Pick<Parley, 'agents'>, scope?: string) =>
  (await agents.list({ scope })).items.map(({ name }) => name)

/** A Parley whose default scope has a folder with these files, and a user with those. */
async function openWithFiles(files: Record<string, string>) {
  const folder = temporaryFolder()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  mkdirSync(join(folder.path, 'root'))
  for (const [path, text] of Object.entries(files)) write(path, text)
  const parley = await createParley({
    dataDir: join(folder.path, 'data'),
    userDir: join(folder.path, 'user'),
    scopes: { default: { root: join(folder.path, 'root') } },
  })
  return {
    parley,
    write,
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

describe.each(databases)('agents on %s', (_name, openDatabase) => {
  it('are stored, changed and deleted, each with its audit and its event', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const made = await parley.agents.create({
      name: '牛奶',
      displayName: '银渐层',
      nicknames: ['milk'],
      persona: 'Calm.',
      color: '#0f766e',
      model: 'demo/parley',
      tools: ['file', 'comes_later'],
      limits: { maxSteps: 3 },
    })
    expect(made).toMatchObject({ name: '牛奶', source: 'stored', tools: ['file', 'comes_later'] })
    expect(await parley.agents.get('牛奶')).toEqual(made)
    const changed = await parley.agents.update('牛奶', { nicknames: null, persona: 'Warm.', limits: null })
    expect(changed).toMatchObject({ name: '牛奶', displayName: '银渐层', persona: 'Warm.' })
    expect(changed).not.toHaveProperty('nicknames')
    expect(changed).not.toHaveProperty('limits')
    expect(changed.createdAt).toBe(made.createdAt)
    expect(await namesOf(parley)).toEqual([...shipped, '牛奶'])
    await parley.agents.delete('牛奶')
    expect(await namesOf(parley)).toEqual(shipped)
    await expect(parley.agents.get('牛奶')).rejects.toMatchObject({ code: 'not_found' })

    const audit = await parley.audit({ resource: 'agent' })
    expect(audit.items.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ['delete', '牛奶'],
      ['update', '牛奶'],
      ['create', '牛奶'],
    ])
    const events = await parley.store.listEvents('default', { after: 0, limit: 10 })
    expect(events.map(({ type, data }) => [type, data.name])).toEqual([
      ['agent-saved', '牛奶'],
      ['agent-saved', '牛奶'],
      ['agent-deleted', '牛奶'],
    ])
  })

  it('share no word, whatever its case and form, and the refusal names the other', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { agents } = parley
    await agents.create({ name: 'one', nicknames: ['Uno'], aliases: ['eins'], displayName: 'The First' })
    await agents.create({ name: 'two' })
    const clashes: Parameters<typeof agents.create>[0][] = [
      { name: 'ONE' },
      { name: 'uno' },
      { name: 'ｅｉｎｓ' },
      { name: 'x', nicknames: ['fine', 'One'] },
      { name: 'x', aliases: ['UNO'] },
      { name: 'x', displayName: 'E ins' },
      { name: 'x', nicknames: ['thefirst'] },
    ]
    for (const input of clashes)
      await expect(agents.create(input), JSON.stringify(input)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('"one"'),
      })
    await expect(agents.create({ name: 'x', nicknames: ['米拉'] })).rejects.toMatchObject({
      code: 'conflict',
      details: { word: '米拉', agent: 'mira' },
    })
    await expect(agents.update('two', { aliases: ['uno'] })).rejects.toMatchObject({ code: 'conflict' })
    expect(await agents.get('two')).not.toHaveProperty('aliases')
    expect((await agents.update('ONE', { nicknames: ['uno', 'primo'] })).nicknames).toEqual(['uno', 'primo'])
    await agents.create({ scope: 'other', name: 'one', nicknames: ['uno'] })
    expect(await namesOf(parley, 'other')).toContain('one')
  })

  it('are one of each word also when many ask at once', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    // making the scope would put them in order
    await parley.store.ensureScope('default')
    const asked = Array.from({ length: 10 }, (_, count) =>
      parley.agents.create({ name: `agent-${count}`, nicknames: ['same'] }),
    )
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await parley.store.listAgents('default')).toHaveLength(1)
  })

  it('are 500 at most', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    await parley.store.ensureScope('default')
    await parley.store.transaction(async (tx) => {
      for (let count = 0; count < 500; count++) await tx.putAgent('default', `agent-${count}`, {})
    })
    await expect(parley.agents.create({ name: 'more' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('500'),
    })
    await parley.agents.delete('agent-7')
    await parley.agents.create({ name: 'more' })
    await parley.agents.create({ scope: 'other', name: 'more' })
  })

  it('come with Parley, and are hidden by a stored one until that is deleted', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { agents } = parley
    expect(await agents.get('Mira')).toMatchObject({ name: 'mira', source: 'shipped', avatar: '🦉' })
    const refused = [() => agents.update('mira', { persona: 'x' }), () => agents.delete('mira')]
    for (const change of refused)
      await expect(change()).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/comes with Parley.+POST \/api\/agents with the name "mira"/),
      })
    await agents.create({ name: 'mira', nicknames: ['米拉'], persona: 'Mine.' })
    expect(await agents.get('mira')).toMatchObject({ source: 'stored', persona: 'Mine.' })
    expect(await namesOf(parley)).toEqual(shipped)
    await agents.delete('mira')
    expect((await agents.get('mira')).source).toBe('shipped')
  })

  it('are listed in pages', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    await parley.agents.create({ name: '阿比' })
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await parley.agents.list({ limit: 3, cursor })
      expect(page.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor
    }
    expect(seen).toEqual([...shipped, '阿比'])
    await expect(parley.agents.list({ cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(parley.agents.list({ limit: 201 })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('agents from files', () => {
  it('stand between those that are stored and those that come with Parley, the project before the user', async () => {
    await using opened = await openWithFiles({
      'root/.parley/agents/mira.md': 'of the project',
      'root/.parley/agents/milk.md': 'of the project',
      'root/.claude/agents/scout.md': '---\nname: scout\ndescription: x\nmodel: opus\n---\nof another tool',
      'user/agents/milk.md': 'of the user',
      'user/agents/coffee.md': 'of the user',
    })
    const { agents } = opened.parley
    await agents.create({ name: 'milk', persona: 'stored' })
    const { items, problems } = await agents.list()
    expect(items.map(({ name, source, path = '-' }) => `${name} ${source} ${path}`)).toEqual([
      'coder shipped -',
      'coffee user user:agents/coffee.md',
      'milk stored -',
      'mira project .parley/agents/mira.md',
      'pip shipped -',
      'quill shipped -',
      'reviewer shipped -',
      'scout project .claude/agents/scout.md',
      'tester shipped -',
    ])
    expect(problems.map(({ path }) => path)).toEqual(['.claude/agents/scout.md', 'user:agents/milk.md'])
    await agents.delete('milk')
    expect((await agents.get('milk')).persona).toBe('of the project')
    const refused = [() => agents.update('milk', { persona: 'x' }), () => agents.delete('milk')]
    for (const change of refused)
      await expect(change()).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('.parley/agents/milk.md'),
      })
    opened.write('root/.parley/agents/milk.md', 'changed on disk')
    await expect.poll(async () => (await agents.get('milk')).persona).toBe('changed on disk')
  })

  it('lose the words that others have, and models that are not there, and say so', async () => {
    await using opened = await openWithFiles({
      'root/.parley/agents/a.md': '---\nnicknames: [mine, PIP, spark]\nmodel: nowhere/x\n---\nA',
      'user/agents/c.md': '---\nmodel: demo/parley\ndisplayName: Fine\n---\nC',
    })
    const { agents } = opened.parley
    await agents.create({ name: 'z', nicknames: ['stored'] })
    opened.write(
      'root/.parley/agents/b.md',
      '---\nnicknames: mine\naliases: [stored, fine]\nmodel: anthropic/claude\n---\nB',
    )
    await expect.poll(() => namesOf(opened.parley)).toContain('b')
    expect(await agents.get('a')).toMatchObject({ nicknames: ['mine', 'spark'] })
    expect(await agents.get('b')).toMatchObject({ nicknames: [], aliases: ['fine'] })
    expect(await agents.get('c')).not.toHaveProperty('displayName')
    expect(await agents.get('c')).toMatchObject({ model: 'demo/parley' })
    for (const name of ['a', 'b']) expect(await agents.get(name)).not.toHaveProperty('model')
    // what comes with Parley gives way without a word
    expect((await agents.get('pip')).nicknames).toEqual(['皮皮'])
    const { problems } = await agents.list()
    expect(problems.map(({ path, message }) => `${path} ${message.slice(0, 40)}`)).toEqual([
      '.parley/agents/a.md is used without its model. There is no a',
      '.parley/agents/b.md is used without its model. The model "an',
      '.parley/agents/a.md is not called "PIP": "pip" is',
      '.parley/agents/b.md is not called "mine": "a" is',
      '.parley/agents/b.md is not called "stored": "z" is',
      'user:agents/c.md is not called "Fine": "b" is',
    ])
  })

  it('are those of the user alone in a scope without a folder', async () => {
    await using opened = await openWithFiles({
      'root/.parley/agents/a.md': 'A',
      'user/agents/b.md': 'B',
    })
    expect(await namesOf(opened.parley, 'bare')).toEqual(['b', ...shipped])
    expect(await namesOf(opened.parley)).toEqual(['a', 'b', ...shipped])
  })
})

describe('agents over HTTP', () => {
  it('have the same calls in the client, also with names that a URL must encode', async () => {
    await using server = await startApp()
    const { agents } = createClient({ baseUrl: server.url })
    const made = await agents.create({ name: '银渐层', scope: 'blue', nicknames: ['牛奶'] })
    expect(await agents.get('银渐层', { scope: 'blue' })).toEqual(made)
    expect((await agents.update('银渐层', { scope: 'blue', avatar: '🐈' })).avatar).toBe('🐈')
    expect((await agents.list({ scope: 'blue', limit: 1 })).items).toHaveLength(1)
    await expect(agents.get('银渐层')).rejects.toMatchObject({ code: 'not_found' })
    await agents.delete('银渐层', { scope: 'blue' })
    await expect(agents.delete('银渐层', { scope: 'blue' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('refuse what is wrong, and change nothing', async () => {
    await using server = await startApp()
    const wrong: [string, string, object?][] = [
      ['POST', '/api/agents', {}],
      ['POST', '/api/agents', { name: 'x', avatar: '\u001b[2J' }],
      ['POST', '/api/agents', { name: 'two words' }],
      ['POST', '/api/agents', { name: '-x' }],
      ['POST', '/api/agents', { name: 'x'.repeat(65) }],
      ['POST', '/api/agents', { name: 'x', color: 'red' }],
      ['POST', '/api/agents', { name: 'x', nicknames: ['a b'] }],
      ['POST', '/api/agents', { name: 'x', aliases: Array.from({ length: 21 }, (_, at) => `a${at}`) }],
      ['POST', '/api/agents', { name: 'x', persona: 'x'.repeat(20_001) }],
      ['POST', '/api/agents', { name: 'x', limits: { maxSteps: 0 } }],
      ['POST', '/api/agents', { name: 'x', limits: { timeoutMs: 999 } }],
      ['POST', '/api/agents', { name: 'x', model: 'sonnet' }],
      ['POST', '/api/agents', { name: 'x', source: 'shipped' }],
      ['PATCH', '/api/agents/mira', { name: 'other' }],
      ['GET', '/api/agents/a%2Fb'],
      ['GET', '/api/agents/..%2Fx'],
      ['GET', '/api/agents?limit=0'],
    ]
    const before = server.dump()
    for (const [method, path, body] of wrong)
      expectRefusal(
        await server.send(method, path, { body }),
        `${method} ${path} ${JSON.stringify(body)}`,
        400,
      )
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })
})
