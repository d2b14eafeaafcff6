import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { says } from './chat-harness.ts'
import { databases, postgresDatabase, sqliteDatabase, temporaryFolder } from './harness.ts'
import { checkEach, expectRefusal, startApp } from './http/app-server.ts'
import { startWorkbench } from './workbench-server.ts'
import { startListServer } from './providers/list-server.ts'

const canary = 'sk-canary-0123456789abcdef'

/** Models of one adapter, which note who was asked. */
function createRecorder() {
  const asked: string[] = []
  const create = (model: string): ModelAdapter => ({
    id: `rec/${model}`,
    async *stream({ cacheKey }) {
      asked.push(cacheKey?.endsWith(':memo') ? `memo:${model}` : model)
      yield* says(cacheKey?.endsWith(':memo') ? '{"recent_summary":"short"}' : 'Done')
    },
  })
  return { asked, models: { model: 'rec/config', extra: { rec: create } } }
}

const send = async (url: string, method: string, path: string, body?: unknown, key?: string) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: text && JSON.parse(text) }
}

describe('models and providers', () => {
  it('list what is configured and what each provider says it has', async () => {
    await using database = await sqliteDatabase()
    await using provider = await startListServer(canary)
    await using workbench = await startWorkbench(database, {
      models: {
        model: 'demo/parley',
        openai: { apiKey: canary, baseUrl: `${provider.url}/v1` },
        anthropic: { apiKey: canary, baseUrl: `${provider.url}/anthropic` },
        gemini: { apiKey: 'wrong', baseUrl: `${provider.url}/v1beta` },
      },
    })
    const { client, parley } = workbench
    const list = await client.models.list()
    expect(list).toMatchObject({ default: 'demo/parley', nextCursor: null })
    expect(list.items[0]).toEqual({ id: 'demo/parley', adapter: 'demo', available: true })
    expect(list.items.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['openai/gpt-list', 'openai/org/slashed', 'anthropic/claude-list']),
    )
    expect(list.providers).toEqual([
      {
        name: 'openai',
        kind: 'openai',
        isBuiltIn: true,
        isConfigured: true,
        source: 'environment',
        baseUrl: `${provider.url}/v1`,
      },
      {
        name: 'anthropic',
        kind: 'anthropic',
        isBuiltIn: true,
        isConfigured: true,
        source: 'environment',
        baseUrl: `${provider.url}/anthropic`,
      },
      {
        name: 'google',
        kind: 'google',
        isBuiltIn: true,
        isConfigured: true,
        source: 'environment',
        baseUrl: `${provider.url}/v1beta`,
        error: 'It does not accept the key (401).',
      },
      { name: 'ollama', kind: 'ollama', isBuiltIn: true, isConfigured: false, source: 'none' },
    ])
    expect(await parley.models.list()).toEqual(list)
    expect(provider.requests).toHaveLength(3)
    await client.models.list({ refresh: true })
    expect(provider.requests).toHaveLength(6)
  })

  it('take a key up at once, keep it over a restart, and forget it', async () => {
    await using database = await sqliteDatabase()
    await using provider = await startListServer(canary)
    {
      await using workbench = await startWorkbench(database)
      const { client } = workbench
      expect((await client.models.list()).default).toBe('demo/parley')
      await expect(client.settings.update({ model: 'anthropic/claude-list' })).rejects.toMatchObject({
        code: 'adapter_unavailable',
      })
      expect(
        await client.providers.put('anthropic', { apiKey: canary, baseUrl: `${provider.url}/anthropic/` }),
      ).toEqual({
        name: 'anthropic',
        kind: 'anthropic',
        isBuiltIn: true,
        isConfigured: true,
        source: 'stored',
        baseUrl: `${provider.url}/anthropic`,
      })
      const { items } = await client.models.list()
      expect(items).toContainEqual({ id: 'anthropic/claude-list', adapter: 'anthropic', available: true })
      await client.settings.update({ model: 'anthropic/claude-list' })
      await client.providers.put('ollama', { baseUrl: provider.url })
      expect((await client.models.list()).items).toContainEqual({
        id: 'ollama/qwen-list:8b',
        adapter: 'ollama',
        available: true,
      })
    }
    await using workbench = await startWorkbench(database)
    const { client } = workbench
    expect((await client.models.list()).providers[1]).toMatchObject({ source: 'stored', isConfigured: true })
    await client.providers.delete('anthropic')
    await client.providers.delete('anthropic')
    expect((await client.models.list()).providers[1]).toEqual({
      name: 'anthropic',
      kind: 'anthropic',
      isBuiltIn: true,
      isConfigured: false,
      source: 'none',
    })
    const audit = await workbench.parley.store.listAudit('default', { limit: 10 })
    const ofProviders = audit.items.filter(({ resourceType }) => resourceType === 'provider')
    expect(
      ofProviders.map(({ actor, action, resourceId, detail }) => [actor.id, action, resourceId, detail]),
    ).toEqual([
      ['local', 'delete', 'anthropic', { fields: [] }],
      ['local', 'update', 'ollama', { fields: ['baseUrl'] }],
      ['local', 'update', 'anthropic', { fields: ['apiKey', 'baseUrl'] }],
    ])
  })

  it('let the environment win as a whole, so that no stored address gets its key', async () => {
    await using database = await sqliteDatabase()
    await using provider = await startListServer(canary)
    await using workbench = await startWorkbench(database, { models: { openai: { apiKey: canary } } })
    const stored = await workbench.client.providers.put('openai', { baseUrl: `${provider.url}/v1` })
    expect(stored).toMatchObject({ name: 'openai', isConfigured: true, source: 'environment' })
    expect(stored).not.toHaveProperty('baseUrl')
    expect(workbench.parley.registry.providers()[0]!.settings).toEqual({ apiKey: canary })
    expect(provider.requests).toEqual([])
  })

  it('are refused with a clear word, without repeating a secret', async () => {
    await using database = await sqliteDatabase()
    await using workbench = await startWorkbench(database)
    const bad: [name: string, body: unknown, words: string][] = [
      ['openai', {}, '"apiKey"'],
      ['openai', { apiKey: '' }, 'apiKey'],
      ['openai', { apiKey: `${canary} ` }, 'apiKey'],
      ['openai', { apiKey: `${canary}\n` }, 'apiKey'],
      ['openai', { apiKey: `ключ${canary}` }, 'apiKey'],
      ['openai', { apiKey: { nested: canary } }, 'apiKey'],
      ['openai', { apiKey: [canary] }, 'apiKey'],
      ['openai', { key: canary }, '"key"'],
      ['openai', canary, 'top level'],
      ['openai', [canary], 'top level'],
      ['openai', { baseUrl: `https://user:${canary}@host/v1` }, 'password'],
      ['openai', { baseUrl: `https://${canary}@host/v1` }, 'user name'],
      ['openai', { baseUrl: `https://host/v1?key=${canary}` }, 'query'],
      ['openai', { baseUrl: `https://host/v1#${canary}` }, 'fragment'],
      ['openai', { baseUrl: 'file:///etc/passwd' }, 'http'],
      ['openai', { baseUrl: 'javascript:alert(1)' }, 'http'],
      ['openai', { baseUrl: 'host:80/v1' }, 'http'],
      ['openai', { baseUrl: '' }, 'http'],
      ['ollama', { apiKey: canary }, 'no key'],
      ['ollama', {}, 'baseUrl'],
      ['anthropic', {}, 'apiKey'],
      ['openai', { kind: 'anthropic', apiKey: canary }, '"kind"'],
      ['acme', { apiKey: canary }, '"baseUrl"'],
      ['acme', { kind: 'google', baseUrl: 'http://127.0.0.1:1' }, 'kind'],
      ['acme', { baseUrl: `http://user:${canary}@127.0.0.1:1` }, 'password'],
      ['Acme', { baseUrl: 'http://127.0.0.1:1' }, 'lower-case'],
      ['demo', { baseUrl: 'http://127.0.0.1:1' }, 'already'],
      ['gemini', { baseUrl: 'http://127.0.0.1:1' }, 'gemini'],
      ['google', {}, 'apiKey'],
    ]
    await checkEach(bad, async ([name, body, words]) => {
      const answer = await send(workbench.url, 'PUT', `/api/providers/${name}`, body)
      const hint = `${name} ${JSON.stringify(body)} → ${answer.text}`
      expect(answer.status, hint).toBe(400)
      expect(answer.json.error.message, hint).toContain(words)
      expect(answer.text, hint).not.toContain(canary)
    })
    for (const name of ['demo', 'nobody', 'constructor', '__proto__'])
      expect(
        (await send(workbench.url, 'PUT', `/api/providers/${name}`, { apiKey: canary })).status,
      ).toBeOneOf([400, 404])
    await expect(workbench.parley.providers.put('openai', { apiKey: `${canary} x` })).rejects.toMatchObject({
      message: expect.not.stringContaining(canary),
    })
    expect(readdirSync(database.environment.PARLEY_DATA_DIR!)).not.toContain('credentials.json')
    expect((await send(workbench.url, 'GET', '/api/models?refresh=maybe')).status).toBe(400)
    expect(workbench.log.join()).not.toContain(canary)
  })

  it('are for a key that may do everything: one that is bound to scopes gets 403', async () => {
    await using database = await sqliteDatabase()
    const [main, bound] = ['main-key-0123456789', 'bound-key-0123456789']
    await using workbench = await startWorkbench(
      database,
      {},
      {
        apiKeys: [
          { name: 'main', key: main },
          { name: 'bound', key: bound, scopes: ['red', 'default'] },
        ],
      },
    )
    const { url } = workbench
    for (const scope of ['default', 'red']) {
      const path = `/api/providers/openai?scope=${scope}`
      expect((await send(url, 'PUT', path, { apiKey: canary }, bound)).status).toBe(403)
      expect((await send(url, 'DELETE', path, undefined, bound)).status).toBe(403)
    }
    expect((await send(url, 'PUT', '/api/providers/openai', { apiKey: canary }, main)).status).toBe(200)
    expect((await send(url, 'GET', '/api/settings?scope=red', undefined, bound)).status).toBe(200)
    expect((await send(url, 'GET', '/api/settings?scope=blue', undefined, bound)).status).toBe(403)
    expect((await send(url, 'GET', '/api/files?scope=blue', undefined, bound)).status).toBe(403)
  })

  it('are not kept where the data folder is not Parley’s alone', async () => {
    await using database = await postgresDatabase()
    using folder = temporaryFolder()
    await using workbench = await startWorkbench(database, { dataDir: folder.path })
    await expect(workbench.client.providers.put('openai', { apiKey: canary })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('environment'),
    })
    await expect(workbench.client.providers.delete('openai')).rejects.toMatchObject({ code: 'conflict' })
    expect(readdirSync(folder.path)).toEqual([])
    const { items } = await workbench.parley.store.listAudit('default', { limit: 10 })
    expect(items).toEqual([])
  })

  it('start with a damaged file of keys, which is told of and left alone', async () => {
    await using database = await sqliteDatabase()
    const path = join(database.environment.PARLEY_DATA_DIR!, 'credentials.json')
    writeFileSync(path, `{"openai":{"apiKey":"${canary}"`)
    await using workbench = await startWorkbench(database)
    expect(workbench.log.join()).toContain('cannot be read')
    expect(workbench.log.join()).not.toContain(canary)
    const { url } = workbench
    const refused = await send(url, 'PUT', '/api/providers/openai', { apiKey: 'new' })
    expect([refused.status, refused.text]).toEqual([409, expect.not.stringContaining(canary)])
    expect(readFileSync(path, 'utf8')).toContain(canary)
  })

  it('leave a stored key in its file alone: not in the database, a log, an answer, the audit or an export', async () => {
    await using database = await sqliteDatabase()
    using mirror = temporaryFolder()
    await using provider = await startListServer('another key')
    // repeats what it was sent, as some do
    provider.answerWith({ status: 400, body: JSON.stringify({ error: { message: `bad key ${canary}` } }) })
    const answers: string[] = []
    await using workbench = await startWorkbench(database, { mirrorDir: mirror.path })
    const { url, parley, log } = workbench
    const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const text = await response.text()
      answers.push(text, JSON.stringify([...response.headers]))
      return text === '' ? undefined : JSON.parse(text)
    }
    const stored = { apiKey: canary, baseUrl: `${provider.url}/v1` }
    await ask('PUT', '/api/providers/openai', stored, { 'idempotency-key': 'once' })
    await ask('PUT', '/api/providers/openai', stored, { 'idempotency-key': 'once' })
    await ask('GET', '/api/models?refresh=true')
    await ask('PATCH', '/api/settings', { model: 'openai/gpt-list' })
    const { id } = await ask('POST', '/api/sessions', {})
    await ask('POST', `/api/sessions/${id}/chat`, { content: 'Hello' })
    expect(provider.requests.at(-1)!.headers.authorization).toBe(`Bearer ${canary}`)
    for (const path of ['', '/messages', '/prompt', '/export']) await ask('GET', `/api/sessions/${id}${path}`)
    for (const path of ['runs', 'settings', 'models', 'tools', 'rules', 'skills', 'commands', 'files'])
      await ask('GET', `/api/${path}`)
    answers.push(await (await fetch(`${url}/metrics`)).text())
    answers.push(JSON.stringify(await parley.store.listAudit('default', { limit: 100 })))
    await parley.store.checkIntegrity()
    expect(answers.join('\n')).not.toContain(canary)
    expect(log.join('\n')).not.toContain(canary)

    const dataDir = database.environment.PARLEY_DATA_DIR!
    const holders = [dataDir, mirror.path].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => readFileSync(file).includes(canary)),
    )
    expect(holders).toEqual([join(dataDir, 'credentials.json')])
    expect(statSync(holders[0]!).mode & 0o777).toBe(0o600)
  })
})

describe('settings of a scope', () => {
  it.each(databases)(
    'go before the configuration, and after session and call, in turns, tasks and previews, on %s',
    async (_name, openDatabase) => {
      await using database = await openDatabase()
      const { asked, models } = createRecorder()
      await using workbench = await startWorkbench(database, { models })
      const { sessions, settings } = workbench.client
      const plain = await sessions.create()
      const own = await sessions.create({ model: 'rec/session' })
      const chat = async (id: string, model?: string) => {
        await sessions.chat(id, { content: 'Hello', model })
        return asked.at(-1)
      }
      expect((await settings.get()).effective.model).toBe('rec/config')
      expect(await chat(plain.id)).toBe('config')

      expect(await settings.update({ model: 'rec/scope' })).toMatchObject({
        model: 'rec/scope',
        effective: { model: 'rec/scope' },
      })
      expect(await chat(plain.id)).toBe('scope')
      expect(await chat(own.id)).toBe('session')
      expect(await chat(own.id, 'rec/call')).toBe('call')
      expect(await sessions.prompt(plain.id)).toMatchObject({ model: 'rec/scope' })
      expect(await sessions.prompt(own.id)).toMatchObject({ model: 'rec/session' })
      expect((await workbench.client.models.list()).default).toBe('rec/scope')

      const task = await sessions.create({ kind: 'background', prompt: 'Work' })
      const ofTask = await sessions.create({ kind: 'background', prompt: 'Work', model: 'rec/task' })
      const isOver = async (id: string) => (await sessions.get(id)).bgStatus === 'completed'
      await expect.poll(() => isOver(task.id)).toBe(true)
      await expect.poll(() => isOver(ofTask.id)).toBe(true)
      expect(asked.slice(-4)).toEqual(expect.arrayContaining(['scope', 'task']))

      const elsewhere = await sessions.create({ scope: 'other' })
      await sessions.chat(elsewhere.id, { scope: 'other', content: 'Hello' })
      expect(asked.at(-1)).toBe('config')
      expect(await settings.get({ scope: 'other' })).not.toHaveProperty('model')

      const cleared = await settings.update({ model: null })
      expect(cleared).not.toHaveProperty('model')
      expect(await chat(plain.id)).toBe('config')
    },
  )

  it('tell what the configuration says below them, and whom a search on the web asks, but no key', async () => {
    await using database = await sqliteDatabase()
    const search = { braveKey: canary, tavilyKey: canary }
    await using workbench = await startWorkbench(database, {
      permissions: { mode: 'plan' },
      toolGroups: { terminal: true, web: false },
      web: { search },
    })
    const { settings } = workbench.client
    const known = await settings.get()
    expect(known.effective).toMatchObject({
      permissionMode: 'plan',
      toolGroups: { terminal: true, web: false },
      webSearch: 'Brave',
    })
    expect(JSON.stringify(known)).not.toContain(canary)
    const { effective } = await settings.update({ permissionMode: 'default', toolGroups: { web: true } })
    expect(effective).toMatchObject({ permissionMode: 'default', toolGroups: { terminal: true, web: true } })
  })

  it('tell of no search on the web where none is set up', async () => {
    await using database = await sqliteDatabase()
    await using workbench = await startWorkbench(database)
    expect((await workbench.client.settings.get()).effective).not.toHaveProperty('webSearch')
  })

  it('lay the window of a scope between that of the configuration and that of a session', async () => {
    await using database = await sqliteDatabase()
    const { asked, models } = createRecorder()
    const session = { limit: { messages: 300, chars: 5_000 } }
    await using workbench = await startWorkbench(database, { models, session })
    const { sessions, settings } = workbench.client
    const plain = await sessions.create()
    const own = await sessions.create({ window: { limit: { messages: 50 } } })
    const limits = async (id: string) => {
      const { maxMessages, maxChars } = (await sessions.window(id)).effective
      return [maxMessages, maxChars]
    }
    const view = await settings.update({ window: { limit: { messages: 4 } }, model: 'rec/scope' })
    expect(view).toMatchObject({
      model: 'rec/scope',
      window: { limit: { messages: 4 } },
      effective: { window: { mode: 'lite', memo: false, maxMessages: 4, maxChars: 5_000 } },
    })
    expect(await limits(plain.id)).toEqual([4, 5_000])
    expect(await limits(own.id)).toEqual([50, 5_000])
    expect((await sessions.window(plain.id)).settings).toEqual({})
    for (let count = 0; count < 10; count++)
      for (const role of ['user', 'assistant'] as const)
        await sessions.append(plain.id, { role, content: 'x' })
    const shown = (await sessions.prompt(plain.id)).messages as unknown[]
    expect(shown.length).toBeLessThan(20)
    await sessions.chat(plain.id, 'And now?')
    expect((await sessions.window(plain.id)).messages).toBeLessThanOrEqual(5)

    await settings.update({ window: { mode: 'memo' } })
    expect((await settings.get()).window).toEqual({ mode: 'memo' })
    expect(await limits(plain.id)).toEqual([300, 5_000])
    await sessions.resize(plain.id)
    expect(asked.at(-1)).toBe('memo:scope')
    expect((await sessions.memo(plain.id)).memo).toEqual({ recent_summary: 'short' })
    expect(await settings.update({ window: null, model: null })).toEqual({
      effective: {
        model: 'rec/config',
        window: expect.objectContaining({ mode: 'lite', maxMessages: 300 }),
        parameters: {},
        permissionMode: 'default',
        toolGroups: { terminal: false },
        sandbox: expect.any(String),
      },
    })
  })

  it.each(databases)('are seen by another node with its next turn, on %s', async (_name, openDatabase) => {
    await using database = await openDatabase()
    const one = createRecorder()
    await using first = await startWorkbench(database, { models: one.models })
    await using second = await startWorkbench(database, { takesUpRuns: false })
    const { id } = await first.client.sessions.create()
    await first.client.sessions.chat(id, 'Hello')
    await second.parley.store.putSetting('default', 'sessions', { model: 'rec/other-node' })
    await first.client.sessions.chat(id, 'Hello')
    expect(one.asked).toEqual(['config', 'other-node'])
  })

  it('are refused with a clear word when they are wrong, and then nothing is stored', async () => {
    await using server = await startApp()
    const before = server.dump()
    const bad: [body: unknown, words: string][] = [
      [{ model: 'nobody/model' }, 'nobody/model'],
      [{ model: 'no-slash' }, 'adapter/model'],
      [{ model: '' }, 'model'],
      [{ model: 5 }, 'model'],
      [{ model: 'x'.repeat(201) }, 'model'],
      [{ window: { limit: { chars: -1 } } }, 'chars'],
      [{ window: { limit: { char: 1 } } }, 'char'],
      [{ window: { mode: 'full' } }, 'mode'],
      [{ window: { memo: { schema: { type: 'string' } } } }, 'schema'],
      [{ window: { resize: { max_current_chars: 5 } } }, 'gone'],
      [{ effective: {} }, 'effective'],
      [{ temperature: 1 }, 'temperature'],
    ]
    await checkEach(bad, async ([body, words]) => {
      const answer = await server.send('PATCH', '/api/settings', { body })
      expect(expectRefusal(answer, JSON.stringify(body), 400).message).toContain(words)
    })
    const unavailable = await server.send('PATCH', '/api/settings', { body: { model: 'openai/gpt-5.2' } })
    expect([unavailable.status, unavailable.text]).toEqual([503, expect.stringContaining('OPENAI_API_KEY')])
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })

  it('are recorded in the audit by their names', async () => {
    await using server = await startApp()
    await server.send('PATCH', '/api/settings', { body: { scope: 'red', window: { mode: 'memo' } } })
    const { items } = await server.store.listAudit('red', { limit: 5 })
    expect(items).toMatchObject([
      { action: 'update', resourceType: 'settings', resourceId: 'red', detail: { fields: ['window'] } },
    ])
  })
})

describe('the catalogue of a scope', () => {
  const write = (root: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
  }

  it('shows tools, rules, skills, commands and files as they are on disk', async () => {
    await using database = await sqliteDatabase()
    using root = temporaryFolder()
    using userDir = temporaryFolder()
    using outside = temporaryFolder()
    write(outside.path, { 'secret.txt': '' })
    write(userDir.path, { 'rules/mine.md': 'Be kind.' })
    write(root.path, {
      'AGENTS.md': 'Use tabs.',
      '.parley/rules/huge.md': `${'word '.repeat(20_000)}`,
      '.parley/skills/brew/SKILL.md': '---\nname: brew\ndescription: Makes tea\n---\nBoil water.',
      '.parley/skills/broken/SKILL.md': 'no front matter',
      '.parley/commands/review.md':
        '---\ndescription: Looks at a file\nargument-hint: <path>\naliases: rv\n---\nReview $1',
      '.parley/commands/stats.md': '---\nmode: action\n---\nNone.',
      'src/index.ts': '',
      'node_modules/x/index.ts': '',
    })
    symlinkSync(outside.path, join(root.path, 'out'))
    await using workbench = await startWorkbench(database, {
      scopes: { default: { root: root.path } },
      userDir: userDir.path,
    })
    const { catalogue } = workbench.client

    const tools = await catalogue.tools()
    expect(tools.items.map(({ name }) => name)).toEqual(
      [
        'cron',
        'document',
        'file',
        'graph_rag',
        'lock',
        'message_task',
        'plan',
        'recall',
        'search',
        'set_result',
        'skill',
        'spawn_task',
        'task_status',
        'terminal',
        'todo',
        'web_fetch',
        'workflow',
      ].sort(),
    )
    expect(tools.items.find(({ name }) => name === 'spawn_task')).toMatchObject({
      group: 'task',
      description: expect.any(String),
      inputSchema: { type: 'object', properties: expect.any(Object) },
    })

    const rules = await catalogue.rules()
    expect(rules.items).toEqual([
      { source: 'AGENTS.md', bytes: 9, tokens: expect.any(Number), isCut: false, use: 'always' },
      expect.objectContaining({ source: '.parley/rules/huge.md', bytes: 100_000, isCut: true }),
      expect.objectContaining({ source: 'user:rules/mine.md', bytes: 8 }),
    ])

    expect(await catalogue.skills()).toEqual({
      items: [{ name: 'brew', description: 'Makes tea', source: '.parley/skills/brew/SKILL.md' }],
      problems: [{ source: '.parley/skills/broken/SKILL.md', message: expect.any(String) }],
      nextCursor: null,
    })

    const commands = await catalogue.commands()
    expect(commands.items.map(({ name, source }) => [name, source])).toEqual([
      ['help', 'built-in'],
      ['review', '.parley/commands/review.md'],
      ['search', 'built-in'],
      ['skill', 'built-in'],
      ['stats', '.parley/commands/stats.md'],
    ])
    expect(commands.items[1]).toEqual({
      name: 'review',
      aliases: ['rv'],
      description: 'Looks at a file',
      argumentHint: '<path>',
      mode: 'prompt',
      source: '.parley/commands/review.md',
    })

    expect(await catalogue.files({ q: 'index' })).toEqual({
      items: [{ path: 'src/index.ts', kind: 'file' }],
      isCut: false,
      nextCursor: null,
    })
    expect((await catalogue.files({ q: 'secret' })).items).toEqual([])
    expect((await catalogue.files({ limit: 2 })).items).toHaveLength(2)
    await expect(catalogue.files({ limit: 51 })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(catalogue.files({ q: 'x'.repeat(201) })).rejects.toMatchObject({ code: 'invalid_request' })

    const { catalogue: library } = workbench.parley
    for (const name of ['tools', 'rules', 'skills', 'commands', 'files'] as const)
      expect(await library[name]()).toEqual(await catalogue[name]())
  })

  it('is empty where a scope has no folder, but for what comes with Parley', async () => {
    await using server = await startApp()
    const { catalogue } = createClient({ baseUrl: server.url })
    const inScope = { scope: 'without-folder' }
    expect(await catalogue.rules(inScope)).toEqual({ items: [], problems: [], nextCursor: null })
    expect(await catalogue.skills(inScope)).toEqual({ items: [], problems: [], nextCursor: null })
    expect(await catalogue.files(inScope)).toEqual({ items: [], isCut: false, nextCursor: null })
    expect((await catalogue.commands(inScope)).items.every(({ source }) => source === 'built-in')).toBe(true)
    expect((await catalogue.tools(inScope)).items).not.toEqual([])
    expect(await server.store.getScope('without-folder')).toBeUndefined()
  })
})
