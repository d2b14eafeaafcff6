/** What comes with Parley about models, in turns that are really made: cost, budgets and windows without a setting. */
import { describe, expect, it } from 'vitest'
import type { ParleyOptions } from '../src/parley.ts'
import { anyDatabase, sqliteDatabase, type TestDatabase } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startWorkbench } from './workbench-server.ts'

/** A Parley that takes a local server for OpenAI's. */
async function open(database: TestDatabase, options: Partial<ParleyOptions> = {}) {
  const server = await startProviderServer(openaiChat, { models: ['gpt-4', 'gpt-99'] })
  server.otherwise({ reply: { text: 'ok', usage: { input: 1_000, output: 100 } } })
  const workbench = await startWorkbench(database, {
    ...options,
    models: {
      model: 'openai/gpt-4',
      openai: { apiKey: 'sk-none', baseUrl: 'https://api.openai.com/v1' },
      anthropic: { apiKey: 'sk-none' },
      fetch: (url, init) => fetch(String(url).replace('https://api.openai.com', server.url), init),
      ...options.models,
    },
  })
  return {
    ...workbench,
    server,
    async [Symbol.asyncDispose]() {
      await workbench[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

describe.each(anyDatabase)('on %s', (_name, openDatabase) => {
  it('a call costs what the list says, and a budget of money ends a task', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { sessions } = parley.client
    const { id } = await sessions.create({})
    await sessions.chat(id, { content: 'Hello' })
    // 30 and 60 for a million
    expect(await sessions.usage(id)).toMatchObject({ calls: 1, cost: expect.closeTo(0.036) })
    const task = await sessions.create({ kind: 'background', prompt: 'Work', budget: { cost: 0.000_001 } })
    await expect.poll(async () => (await sessions.get(task.id)).bgStatus, { timeout: 20_000 }).toBe('failed')
    expect(parley.server.requests.filter(({ path }) => path.endsWith('/completions'))).toHaveLength(1)
  })
})

describe('the list', () => {
  it('is shown with the models, and settings go before it', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, {
      prices: { 'openai/gpt-4': { input: 1, output: 2 } },
      models: { facts: { 'openai/gpt-99': { contextWindow: 5_000 } } },
    })
    const { items } = await parley.client.models.list()
    const found = (id: string) => items.find((model) => model.id === id)
    expect(found('openai/gpt-4')).toEqual({
      id: 'openai/gpt-4',
      adapter: 'openai',
      available: true,
      contextWindow: 8_192,
      maxOutputTokens: 8_192,
      input: ['text'],
      price: { input: 1, output: 2 },
    })
    expect(found('openai/gpt-99')).toEqual({
      id: 'openai/gpt-99',
      adapter: 'openai',
      available: true,
      contextWindow: 5_000,
    })
    expect(found('demo/parley')).toEqual({ id: 'demo/parley', adapter: 'demo', available: true })
  })

  it('gives windows a size in tokens, unless somebody set one or characters are tighter', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { sessions, settings } = parley.client
    const tokensOf = async (input: Parameters<typeof sessions.create>[0]) => {
      const { id } = await sessions.create(input)
      return (await sessions.window(id)).effective.maxTokens
    }
    expect(await tokensOf({})).toBe(Math.floor(8_192 * 0.7))
    expect(await tokensOf({ model: 'openai/gpt-99' })).toBe(0)
    expect(await tokensOf({ model: 'demo/parley' })).toBe(0)
    expect(await tokensOf({ model: 'anthropic/claude-opus-5' })).toBe(0)
    expect(await tokensOf({ model: 'anthropic/claude-opus-5', window: { limit: { chars: 0 } } })).toBe(
      700_000,
    )
    expect(await tokensOf({ window: { limit: { tokens: 3_000 } } })).toBe(3_000)
    expect(await tokensOf({ window: { limit: { tokens: 0 } } })).toBe(0)
    expect(await tokensOf({ window: { preset: 'unlimited' } })).toBe(0)
    await settings.update({ model: 'demo/parley' })
    expect(await tokensOf({})).toBe(0)
  })

  it('makes room for a small model that a call names', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, { models: { model: 'openai/gpt-99' } })
    const { sessions } = parley.client
    const { id } = await sessions.create({})
    const long = 'A sentence of some words that fills the window. '.repeat(300)
    for (let turn = 0; turn < 3; turn++) await sessions.chat(id, { content: `${long} ${turn}` })
    const sizeOfLast = () => parley.server.requests.at(-1)!.body.length
    const before = sizeOfLast()
    await sessions.chat(id, { content: 'And now?', model: 'openai/gpt-4' })
    expect(sizeOfLast()).toBeLessThan(before)
  })
})
