import { describe, expect, it } from 'vitest'
import { createKnownModels, type KnownModelsOptions } from './known-models.ts'
import { createModelRegistry, type ModelSettings } from './registry.ts'
import { createScriptedAdapter, says } from './scripted.ts'

async function open(models: Partial<ModelSettings> = {}, more: Omit<KnownModelsOptions, 'registry'> = {}) {
  const registry = createModelRegistry({ openai: {}, anthropic: {}, gemini: {}, ollama: {}, ...models })
  const known = createKnownModels({ registry, ...more })
  await known.load()
  return { registry, known }
}

describe('what is known of a model', () => {
  it('is in the list that comes with Parley, for the defaults of all providers', async () => {
    const { registry, known } = await open({
      openai: { apiKey: 'k' },
      anthropic: { apiKey: 'k' },
      gemini: { apiKey: 'k' },
    })
    const ids = registry.list().map(({ id }) => id)
    for (const id of ids.filter((one) => !one.startsWith('demo/')))
      expect(known.of(id), id).toMatchObject({
        contextWindow: expect.any(Number),
        maxOutputTokens: expect.any(Number),
        input: expect.arrayContaining(['text']),
        price: { input: expect.any(Number), output: expect.any(Number) },
      })
    expect(known.of('gemini/gemini-4-argon')).toEqual(known.of('google/gemini-4-argon'))
    expect(known.of('anthropic/claude-opus-5-20260101')).toEqual(known.of('anthropic/claude-opus-5'))
  })

  it('is nothing where it is not in the list', async () => {
    const { known } = await open()
    for (const id of [
      'openai/gpt-99',
      'demo/parley',
      'ollama/gpt-4',
      'nobody/gpt-4',
      'gpt-4',
      'openai/constructor',
    ])
      expect([id, known.of(id), known.priceOf(id)]).toEqual([id, undefined, undefined])
  })

  it('belongs to the server, not to the name: others of the same name may have other prices', async () => {
    const { known } = await open({
      openai: { apiKey: 'k', baseUrl: 'http://127.0.0.1:8080/v1' },
      anthropic: { baseUrl: 'https://api.anthropic.com/v1' },
      providers: {
        seek: { baseUrl: 'https://api.deepseek.com/v1', apiKey: 'k' },
        router: { baseUrl: 'https://openrouter.ai/api/v1', apiKey: 'k' },
        lookalike: { baseUrl: 'https://api.openai.com.example/v1' },
      },
    })
    expect(known.of('openai/gpt-4')).toBeUndefined()
    expect(known.of('lookalike/gpt-4')).toBeUndefined()
    expect(known.priceOf('anthropic/claude-opus-5')).toMatchObject({ input: 5, output: 25 })
    expect(known.hasPrices).toBe(true)
    const { default: list } = await import('./known-models.json', { with: { type: 'json' } })
    for (const [name, server] of [
      ['seek', 'deepseek'],
      ['router', 'openrouter'],
    ] as const) {
      const [model, facts] = Object.entries(list.providers[server])[0]!
      expect(known.of(`${name}/${model}`)).toEqual(facts)
    }
  })

  it('is not that of a provider whose place another adapter took', async () => {
    const { known } = await open({
      extra: { openai: (model) => createScriptedAdapter(`openai/${model}`, () => says('x')) },
    })
    expect(known.of('openai/gpt-4')).toBeUndefined()
  })

  it('is what the settings say before that, field by field, and a price as a whole', async () => {
    const { known } = await open(
      { openai: { apiKey: 'k' } },
      {
        facts: { 'openai/gpt-6-astra': { contextWindow: 1_050_000 }, 'mine/x': { input: ['text'] } },
        prices: { 'openai/gpt-6-astra': { input: 1, output: 2 }, 'mine/y': { input: 3, output: 4 } },
      },
    )
    expect(known.of('openai/gpt-6-astra')).toMatchObject({
      contextWindow: 1_050_000,
      maxOutputTokens: 128_000,
      price: { input: 1, output: 2 },
    })
    expect(known.priceOf('openai/gpt-6-astra')).toEqual({ input: 1, output: 2 })
    expect(known.of('mine/x')).toEqual({ input: ['text'] })
    expect(known.priceOf('mine/y')).toEqual({ input: 3, output: 4 })
  })

  it('counts money only where something that can be used has a price', async () => {
    expect((await open()).known.hasPrices).toBe(false)
    expect((await open({ ollama: { host: 'http://127.0.0.1:11434' } })).known.hasPrices).toBe(false)
    expect((await open({ openai: { baseUrl: 'http://127.0.0.1:1/v1' } })).known.hasPrices).toBe(false)
    expect((await open({ openai: { apiKey: 'k' } })).known.hasPrices).toBe(true)
    expect((await open({}, { prices: { 'a/b': { input: 1, output: 1 } } })).known.hasPrices).toBe(true)
  })

  it('is not read where nothing that is set up is in it', () => {
    const registry = createModelRegistry({ openai: {}, anthropic: {}, gemini: {}, ollama: {} })
    const known = createKnownModels({ registry })
    expect(known.load()).toBeUndefined()
    registry.useStored({ openai: { apiKey: 'k' } })
    expect(known.load()).toBeInstanceOf(Promise)
  })

  it('is of the settings alone until the list is read, which is once', async () => {
    const registry = createModelRegistry({ openai: { apiKey: 'k' }, anthropic: {}, gemini: {}, ollama: {} })
    const known = createKnownModels({ registry, prices: { 'openai/x': { input: 1, output: 1 } } })
    expect([known.priceOf('openai/gpt-4'), known.priceOf('openai/x')]).toEqual([
      undefined,
      { input: 1, output: 1 },
    ])
    const loading = known.load()
    expect(known.load()).toBe(loading)
    await loading
    expect(known.load()).toBeUndefined()
    expect(known.priceOf('openai/gpt-4')).toEqual({ input: 30, output: 60 })
  })
})
