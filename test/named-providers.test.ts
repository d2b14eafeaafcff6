import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { ParleyClient } from '../src/client/index.ts'
import { runner } from './command-line.ts'
import { anyDatabase, sqliteDatabase, temporaryFolder } from './harness.ts'
import { anthropicMessages } from './providers/anthropic.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startWorkbench } from './workbench-server.ts'

const key = 'sk-canary-of-acme-0123456789'

/** One turn of a new session. */
async function ask({ sessions }: ParleyClient, model?: string) {
  const { id } = await sessions.create({ ...(model !== undefined && { model }) })
  const { message, run } = await sessions.chat(id, { content: 'Hello', model })
  return { id, text: message ? messageText(message) : undefined, outcome: run.outcome }
}

const chatServer = (models?: readonly string[]) => startProviderServer(openaiChat, { models })
const messagesServer = (models?: readonly string[]) => startProviderServer(anthropicMessages, { models })

describe('a provider with a name of its own', () => {
  it('is added, tested, used, changed and removed while the server runs', async () => {
    await using database = await sqliteDatabase()
    await using acme = await chatServer(['large', 'org/small'])
    await using other = await chatServer(['other'])
    acme.otherwise({ reply: { text: 'Hello from acme' } })
    other.otherwise({ reply: { text: 'Hello from other' } })
    await using workbench = await startWorkbench(database)
    const { client } = workbench
    await expect(client.settings.update({ model: 'acme/large' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(await client.providers.put('acme', { baseUrl: `${acme.url}/v1`, apiKey: key })).toEqual({
      name: 'acme',
      kind: 'openai',
      isBuiltIn: false,
      isConfigured: true,
      source: 'stored',
      baseUrl: `${acme.url}/v1`,
    })
    expect((await client.providers.list()).items.map(({ name }) => name)).toEqual([
      'openai',
      'anthropic',
      'google',
      'ollama',
      'acme',
    ])
    expect(await client.providers.test('acme', { model: 'large' })).toMatchObject({
      name: 'acme',
      ok: true,
      models: 2,
      reply: 'Hello from acme',
    })
    expect((await client.models.list()).items.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['acme/large', 'acme/org/small']),
    )
    expect(await ask(client, 'acme/org/small')).toMatchObject({ text: 'Hello from acme' })
    const sent = acme.requests.at(-1)!
    expect([sent.path, sent.headers.authorization]).toEqual(['/v1/chat/completions', `Bearer ${key}`])
    expect(JSON.parse(sent.body.toString())).toMatchObject({ model: 'org/small' })

    await client.providers.put('acme', { baseUrl: `${other.url}/v1` })
    expect(await ask(client, 'acme/other')).toMatchObject({ text: 'Hello from other' })
    // the key was that of the server before
    expect(other.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)

    await client.providers.delete('acme')
    await expect(client.providers.delete('acme')).rejects.toMatchObject({ code: 'not_found' })
    expect((await client.providers.list()).items).toHaveLength(4)
    await expect(client.settings.update({ model: 'acme/other' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(workbench.log.join('')).not.toContain(key)
    const audit = await client.audit({ limit: 50 })
    expect(JSON.stringify(audit)).not.toContain(key)
    expect(audit.items.filter(({ resourceId }) => resourceId === 'acme').map(({ action }) => action)).toEqual(
      ['delete', 'update', 'update'],
    )
  })

  it('speaks Messages when it is of that kind, with and without a key, and is there after a restart', async () => {
    await using database = await sqliteDatabase()
    await using claudes = await messagesServer(['opus-like'])
    claudes.otherwise({ reply: { text: 'Bonjour', reasoning: 'Hm.', signature: 'sig' } })
    {
      await using workbench = await startWorkbench(database)
      await workbench.client.providers.put('claudes', {
        kind: 'anthropic',
        baseUrl: claudes.url,
        apiKey: key,
      })
    }
    const file = join(database.environment.PARLEY_DATA_DIR!, 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      claudes: { kind: 'anthropic', baseUrl: claudes.url, apiKey: key },
    })
    await using workbench = await startWorkbench(database)
    const { client } = workbench
    const { id, text } = await ask(client, 'claudes/opus-like')
    expect(text).toBe('Bonjour')
    expect(claudes.requests.at(-1)).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': key } })
    // what it wants back with its reasoning comes back to it
    await client.sessions.chat(id, { content: 'And again', model: 'claudes/opus-like' })
    expect(claudes.requests.at(-1)!.body.toString()).toContain('"signature":"sig"')
    await client.providers.put('claudes', { kind: 'anthropic', baseUrl: claudes.url })
    expect(await client.providers.test('claudes', { model: 'opus-like' })).toMatchObject({
      ok: true,
      models: 1,
    })
    expect(claudes.requests.at(-1)!.headers['x-api-key'] ?? '').toBe('')
  })

  it('that fails its test has a reason without a key in it', async () => {
    await using database = await sqliteDatabase()
    await using acme = await chatServer()
    await using workbench = await startWorkbench(database)
    const { client } = workbench
    expect(await client.providers.test('openai')).toMatchObject({
      ok: false,
      error: expect.stringContaining('not set up'),
    })
    await expect(client.providers.test('nobody')).rejects.toMatchObject({ code: 'not_found' })
    await client.providers.put('acme', { baseUrl: `${acme.url}/v1`, apiKey: key })
    expect(await client.providers.test('acme')).toMatchObject({
      ok: false,
      models: 0,
      error: 'It has no list of models at this address (404).',
    })
    // some servers have no list
    expect(await client.providers.test('acme', { model: 'x' })).toMatchObject({ ok: true, reply: 'ok' })
    acme.script({ status: 401, body: JSON.stringify({ error: { message: `bad key ${key}` } }) })
    const refused = await client.providers.test('acme', { model: 'x' })
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('acme/x answered 401') })
    expect(JSON.stringify(refused)).not.toContain(key)
    await client.providers.put('acme', { baseUrl: 'http://127.0.0.1:1/v1' })
    expect(await client.providers.test('acme')).toMatchObject({
      ok: false,
      error: expect.stringContaining('could not be reached'),
    })
  })
})

describe.each(anyDatabase)('in the options, on %s', (_name, open) => {
  it('are as good as stored ones, and go before them', async () => {
    await using database = await open()
    await using acme = await chatServer(['large'])
    await using workbench = await startWorkbench(database, {
      models: { providers: { acme: { baseUrl: `${acme.url}/v1`, apiKey: key } } },
    })
    const { client } = workbench
    expect((await client.providers.list()).items.at(-1)).toMatchObject({
      name: 'acme',
      source: 'environment',
    })
    // nobody named a model, and this server has one
    expect(await ask(client)).toMatchObject({ text: 'ok' })
    expect((await client.settings.get()).effective.model).toBe('acme/large')
  })
})

describe('only the address of a server', () => {
  const settled = (models: Record<string, unknown>) => ({ models })

  it('makes it the default, by what it lists', async () => {
    await using database = await sqliteDatabase()
    await using server = await chatServer(['text-embedding-x', 'qwen'])
    await using workbench = await startWorkbench(
      database,
      settled({ openai: { baseUrl: `${server.url}/v1`, apiKey: key } }),
    )
    expect(await ask(workbench.client)).toMatchObject({ text: 'ok' })
    expect(JSON.parse(server.requests.at(-1)!.body.toString())).toMatchObject({ model: 'qwen' })
    expect(await workbench.client.models.list()).toMatchObject({ default: 'openai/qwen' })
  })

  it('does so for a server that copies Anthropic, without a key too', async () => {
    await using database = await sqliteDatabase()
    await using server = await messagesServer(['glm'])
    await using workbench = await startWorkbench(database, settled({ anthropic: { baseUrl: server.url } }))
    expect(await ask(workbench.client)).toMatchObject({ text: 'ok' })
    expect(JSON.parse(server.requests.at(-1)!.body.toString())).toMatchObject({ model: 'glm' })
  })

  it('has no other model in its place while nothing answers there, and says why', async () => {
    await using database = await sqliteDatabase()
    const gone = await chatServer()
    await gone[Symbol.asyncDispose]()
    await using workbench = await startWorkbench(database, settled({ openai: { baseUrl: `${gone.url}/v1` } }))
    const { id } = await workbench.client.sessions.create()
    const { run } = await workbench.client.sessions.chat(id, 'Hello')
    expect(run).toMatchObject({ status: 'failed', outcome: { code: 'adapter_unavailable' } })
    expect((run.outcome as { message: string }).message).toContain('It could not be reached (ECONNREFUSED).')
    expect(workbench.log.join('')).toContain('It could not be reached (ECONNREFUSED).')
  })

  it('works on the command line, from the environment and from a file', async () => {
    using folder = temporaryFolder()
    await using server = await chatServer(['qwen'])
    const run = runner(folder.path)
    const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key }
    expect(await run(['run', 'Hello'], { env })).toMatchObject({ code: 0, stdout: 'ok\n' })
    mkdirSync(join(folder.path, '.config', 'parley'), { recursive: true })
    writeFileSync(
      join(folder.path, '.config', 'parley', 'config.yaml'),
      `model: acme/qwen\nproviders:\n  acme:\n    baseUrl: ${server.url}/v1\n    apiKey: \${ACME_KEY}\n`,
    )
    expect(await run(['run', 'Hello'], { env: { ACME_KEY: key } })).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(server.requests.at(-1)!.headers.authorization).toBe(`Bearer ${key}`)
    const shown = await run(['config'], { env: { ACME_KEY: key } })
    expect(shown.stdout).toContain('providers.acme.baseUrl')
    expect(shown.stdout).not.toContain(key)
    writeFileSync(
      join(folder.path, '.config', 'parley', 'config.yaml'),
      'providers:\n  openai:\n    baseUrl: http://127.0.0.1:1\n  acme:\n    baseUrl: nowhere\n    kind: google\n',
    )
    const refused = await run(['config'])
    expect(refused.code).toBe(2)
    for (const words of ['a name of 1 to 32', 'providers.acme.baseUrl', 'providers.acme.kind'])
      expect(refused.stderr).toContain(words)
  })
})
