import { describe, expect, it } from 'vitest'
import { createModelRegistry, type ModelSettings } from './registry.ts'
import { createScriptedAdapter, says } from './scripted.ts'

const registryOf = (settings: Partial<ModelSettings> = {}) =>
  createModelRegistry({ openai: {}, anthropic: {}, gemini: {}, ollama: {}, ...settings })

describe('the default', () => {
  it.each<[string, Partial<ModelSettings>]>([
    ['demo/parley', {}],
    ['google/gemini-4-argon', { gemini: { apiKey: 'k' } }],
    ['anthropic/claude-sonnet-5-5', { gemini: { apiKey: 'k' }, anthropic: { apiKey: 'k' } }],
    ['openai/gpt-6-astra', { gemini: { apiKey: 'k' }, anthropic: { apiKey: 'k' }, openai: { apiKey: 'k' } }],
    // which models a server of one's own has, nobody knows
    ['demo/parley', { openai: { apiKey: 'k', baseUrl: 'http://127.0.0.1:1/v1' } }],
    ['ollama/qwen3', { model: 'ollama/qwen3', openai: { apiKey: 'k' } }],
  ])('is %s with %j', (id, settings) => {
    const registry = registryOf(settings)
    expect(registry.defaultId).toBe(id)
    expect(registry.require().id).toBe(id)
  })
})

describe('a name', () => {
  it('may have slashes and colons after the first slash', () => {
    const registry = registryOf({ openai: { baseUrl: 'http://127.0.0.1:1/v1' } })
    expect(registry.require('openai/meta/llama-4:free').id).toBe('openai/meta/llama-4:free')
    expect(registry.require('ollama/qwen3:8b').id).toBe('ollama/qwen3:8b')
  })

  it('gemini/… is google/…', () => {
    const registry = registryOf({ gemini: { apiKey: 'k' } })
    expect(registry.require('gemini/x')).toBe(registry.require('google/x'))
  })

  it.each(['', 'gpt-5', '/x', 'openai/'])('that is none is refused: %j', (id) => {
    expect(() => registryOf().require(id)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('adapter/model') }),
    )
  })

  it.each(['nobody/x', 'constructor/x', '__proto__/x'])('of an unknown adapter is refused: %s', (id) => {
    expect(() => registryOf().require(id)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: `There is no adapter for the model "${id}". Known: openai, anthropic, google, ollama, demo.`,
      }),
    )
  })
})

it.each([
  ['openai/x', 'OPENAI_API_KEY'],
  ['anthropic/x', 'ANTHROPIC_API_KEY'],
  ['google/x', 'GEMINI_API_KEY'],
])('says for %s that %s is missing, also where the environment has one', (id, variable) => {
  expect(() => registryOf().require(id)).toThrow(
    expect.objectContaining({
      code: 'adapter_unavailable',
      message: expect.stringContaining(`set ${variable}`),
    }),
  )
})

it('lists a model of each adapter, the default first, with what is missing', () => {
  const list = registryOf({ model: 'ollama/qwen3', anthropic: { apiKey: 'k' } }).list()
  expect(list.map(({ id, adapter, available }) => [id, adapter, available])).toEqual([
    ['ollama/qwen3', 'ollama', true],
    ['openai/gpt-6-astra', 'openai', false],
    ['anthropic/claude-sonnet-5-5', 'anthropic', true],
    ['google/gemini-4-argon', 'google', false],
    ['demo/parley', 'demo', true],
  ])
  expect(list[1]!.reason).toContain('OPENAI_API_KEY')
  expect(registryOf({ model: 'nobody/x' }).list()[0]).toMatchObject({ id: 'nobody/x', available: false })
})

it('takes more adapters, also in the place of its own', () => {
  const scripted = createScriptedAdapter('demo/mine', () => says('hi'))
  const registry = registryOf({
    extra: { demo: () => scripted, mine: (model) => ({ ...scripted, id: model }) },
  })
  expect(registry.require('demo/parley').id).toBe(scripted.id)
  expect(registry.require('mine/x').id).toBe('x')
})

it('keeps adapters, but not for ever', () => {
  const registry = registryOf()
  const first = registry.require('ollama/0')
  expect(registry.require('ollama/0')).toBe(first)
  for (let index = 1; index <= 100; index++) registry.require(`ollama/${index}`)
  expect(registry.require('ollama/0')).not.toBe(first)
})

it('sends everything through the fetch it is given', async () => {
  const urls: string[] = []
  const fetch = ((url: string) => {
    urls.push(url)
    return Promise.reject(
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENO' }) }),
    )
  }) as typeof globalThis.fetch
  const registry = registryOf({
    fetch,
    openai: { apiKey: 'k' },
    anthropic: { apiKey: 'k', baseUrl: 'https://gateway.example/claude/' },
    gemini: { apiKey: 'k' },
    ollama: { host: 'http://gpu-box:11434' },
  })
  for (const id of ['openai/x', 'anthropic/x', 'google/x', 'ollama/x']) {
    const request = { system: '', messages: [], tools: [], cacheKey: 'k' }
    const stream = registry.require(id).stream(request, new AbortController().signal)
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ kind: 'network' })
  }
  expect(urls).toEqual([
    'https://api.openai.com/v1/responses',
    'https://gateway.example/claude/v1/messages',
    'https://generativelanguage.googleapis.com/v1beta/models/x:streamGenerateContent?alt=sse',
    'http://gpu-box:11434/v1/chat/completions',
  ])
})

describe('a provider with a name of its own', () => {
  const providers = {
    acme: { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' },
    claudes: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:2' },
    plain: { baseUrl: 'http://127.0.0.1:3/v1' },
  } as const

  it('is the first part of the ids of its models', () => {
    const registry = registryOf({ providers })
    expect(registry.require('acme/org/large').id).toBe('acme/org/large')
    expect(registry.require('claudes/opus').id).toBe('claudes/opus')
    expect(registry.require('plain/x').id).toBe('plain/x')
    expect(() => registry.require('nobody/x')).toThrow('Known: openai, anthropic, google, ollama, acme,')
    expect(registry.providers().map(({ name, kind, source }) => [name, kind, source])).toEqual([
      ['openai', 'openai', 'none'],
      ['anthropic', 'anthropic', 'none'],
      ['google', 'google', 'none'],
      ['ollama', 'ollama', 'none'],
      ['acme', 'openai', 'environment'],
      ['claudes', 'anthropic', 'environment'],
      ['plain', 'openai', 'environment'],
    ])
  })

  it('can be stored and taken away; the configuration goes before what is stored', () => {
    const registry = registryOf({ providers: { acme: providers.acme } })
    registry.useStored({
      acme: { kind: 'anthropic', baseUrl: 'http://elsewhere' },
      mine: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:4' },
    })
    const found = (name: string) => registry.providers().find((provider) => provider.name === name)
    expect(found('acme')).toMatchObject({ kind: 'openai', settings: { apiKey: 'k' }, source: 'environment' })
    expect(found('mine')).toMatchObject({ kind: 'anthropic', source: 'stored', isConfigured: true })
    expect(registry.require('mine/x').id).toBe('mine/x')
    registry.useStored({})
    expect(registry.has('mine')).toBe(false)
  })
})

describe('the default where only an address was set', () => {
  const baseUrl = 'http://127.0.0.1:1/v1'

  it('is the first model for conversations that the server lists', () => {
    const registry = registryOf({ openai: { baseUrl }, gemini: { apiKey: 'k' } })
    expect(registry.waitsFor).toMatchObject({ name: 'openai' })
    expect(registry.defaultId).toBe('google/gemini-4-argon')
    registry.useListed('openai', ['text-embedding-3-small', 'qwen3-32b', 'other'])
    expect([registry.defaultId, registry.waitsFor]).toEqual(['openai/qwen3-32b', undefined])
    expect(registry.list().map(({ id }) => id)).toContain('openai/qwen3-32b')
    registry.useListed('openai', ['gpt-3', 'gpt-6-astra'])
    expect(registry.defaultId).toBe('openai/gpt-6-astra')
    registry.useListed('openai', ['qwen3-32b'])
    // what is stored for another changes nothing
    registry.useStored({ ollama: { baseUrl: 'http://127.0.0.1:2' } })
    expect(registry.defaultId).toBe('openai/qwen3-32b')
  })

  it('of a provider with a usual model is that model, unless the server lists others alone', () => {
    const registry = registryOf({ anthropic: { baseUrl } })
    expect(registry.defaultId).toBe('anthropic/claude-sonnet-5-5')
    registry.useListed('anthropic', ['claude-9', 'claude-sonnet-5-5'])
    expect(registry.defaultId).toBe('anthropic/claude-sonnet-5-5')
    registry.useListed('anthropic', ['glm-5', 'glm-4'])
    expect(registry.defaultId).toBe('anthropic/glm-5')
  })

  it('is looked for in the order of providers, and not at all where a model is configured', () => {
    expect(registryOf({ model: 'openai/x', openai: { baseUrl } }).waitsFor).toBeUndefined()
    expect(registryOf({ openai: { apiKey: 'k' }, anthropic: { baseUrl } }).waitsFor).toBeUndefined()
    const registry = registryOf({ providers: { acme: { baseUrl } } })
    registry.useListed('acme', ['a'])
    expect(registry.defaultId).toBe('acme/a')
  })
})

describe('what was stored for providers', () => {
  it('is used at once, also for the default, and can be taken away again', () => {
    const registry = registryOf()
    expect(() => registry.require('anthropic/x')).toThrow(
      expect.objectContaining({ code: 'adapter_unavailable' }),
    )
    registry.useStored({ anthropic: { apiKey: 'k' } })
    const first = registry.require('anthropic/x')
    expect([first.id, registry.defaultId]).toEqual(['anthropic/x', 'anthropic/claude-sonnet-5-5'])
    registry.useStored({ anthropic: { apiKey: 'other' } })
    expect(registry.require('anthropic/x')).not.toBe(first)
    registry.useStored({})
    expect(registry.defaultId).toBe('demo/parley')
    expect(() => registry.require('anthropic/x')).toThrow()
  })

  it('does not change a model that was configured', () => {
    const registry = registryOf({ model: 'ollama/qwen3' })
    registry.useStored({ openai: { apiKey: 'k' } })
    expect(registry.defaultId).toBe('ollama/qwen3')
  })

  it('is passed over as a whole where the settings say anything of the provider', () => {
    const registry = registryOf({ openai: { apiKey: 'own' }, ollama: { host: 'http://gpu:11434' } })
    const baseUrl = 'http://elsewhere/v1'
    registry.useStored({ openai: { baseUrl }, ollama: { baseUrl }, google: { apiKey: 'k', baseUrl } })
    expect(registry.providers()).toEqual([
      {
        name: 'openai',
        kind: 'openai',
        settings: { apiKey: 'own' },
        source: 'environment',
        isConfigured: true,
      },
      { name: 'anthropic', kind: 'anthropic', settings: {}, source: 'none', isConfigured: false },
      {
        name: 'google',
        kind: 'google',
        settings: { apiKey: 'k', baseUrl },
        source: 'stored',
        isConfigured: true,
      },
      {
        name: 'ollama',
        kind: 'ollama',
        settings: { baseUrl: 'http://gpu:11434' },
        source: 'environment',
        isConfigured: true,
      },
    ])
  })

  it('is of no provider whose place another adapter took', () => {
    const registry = registryOf({
      extra: { openai: () => createScriptedAdapter('openai/x', () => says('x')) },
    })
    expect(registry.providers().map(({ name }) => name)).toEqual(['anthropic', 'google', 'ollama'])
  })
})
