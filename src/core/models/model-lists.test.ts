import { describe, expect, it } from 'vitest'
import { startListServer, type ListServer } from '../../../test/providers/list-server.ts'
import { steppedClock } from '../../../test/harness.ts'
import { providerNames, type ProviderName } from '../protocol/models.ts'
import { createModelLists } from './model-lists.ts'
import type { ConfiguredProvider } from './registry.ts'

const key = 'sk-canary-0123456789'

const addresses = (url: string) => ({
  openai: `${url}/v1`,
  anthropic: `${url}/anthropic`,
  google: `${url}/v1beta`,
  ollama: `${url}/`,
})

const provider = ({ url }: Pick<ListServer, 'url'>, name: ProviderName = 'openai'): ConfiguredProvider => ({
  name,
  kind: name,
  settings: { baseUrl: addresses(url)[name], ...(name !== 'ollama' && { apiKey: key }) },
  source: 'stored',
  isConfigured: true,
})

describe('the list of a provider', () => {
  it('is read in its own format, with its own header', async () => {
    await using server = await startListServer(key)
    const lists = createModelLists({ clock: steppedClock() })
    const found = await Promise.all(providerNames.map((name) => lists.of(provider(server, name))))
    expect(found).toEqual([
      { models: ['gpt-list', 'org/slashed'] },
      { models: ['claude-list'] },
      { models: ['gemini-list'] },
      { models: ['qwen-list:8b'] },
    ])
  })

  it('is asked for once in five minutes, unless somebody wants it anew or the settings change', async () => {
    await using server = await startListServer(key)
    const clock = steppedClock()
    const lists = createModelLists({ clock })
    await Promise.all([lists.of(provider(server)), lists.of(provider(server))])
    expect(server.requests).toHaveLength(1)
    clock.advance(299_000)
    await lists.of(provider(server))
    expect(server.requests).toHaveLength(1)
    clock.advance(2_000)
    await lists.of(provider(server))
    await lists.of(provider(server), { refresh: true })
    expect(server.requests).toHaveLength(3)
    const other = { ...provider(server), settings: { baseUrl: `${server.url}/v1`, apiKey: 'other' } }
    expect(await lists.of(other)).toMatchObject({ models: [], error: expect.stringContaining('401') })
    expect(await lists.of({ ...other, isConfigured: false })).toEqual({ models: [] })
  })

  it('is asked for again soon after it failed', async () => {
    await using server = await startListServer(key)
    const clock = steppedClock()
    const lists = createModelLists({ clock })
    server.answerWith({ status: 500 })
    expect((await lists.of(provider(server))).error).toContain('500')
    server.answerWith(undefined)
    expect((await lists.of(provider(server))).error).toContain('500')
    clock.advance(31_000)
    expect((await lists.of(provider(server))).models).toHaveLength(2)
  })

  it('is cut at 500, and holds each name once and none that could not be an id', async () => {
    await using server = await startListServer(key)
    const data = Array.from({ length: 600 }, (_, index) => ({ id: `m${index}` }))
    const odd = ['two words', 'line\nbreak', '', 'x'.repeat(200), 'm1', 'm1'].map((id) => ({ id }))
    server.answerWith({ status: 200, body: JSON.stringify({ data: [...odd, ...data] }) })
    const { models } = await createModelLists({ clock: steppedClock() }).of(provider(server))
    expect(models).toHaveLength(500)
    expect(models.slice(0, 3)).toEqual(['m1', 'm0', 'm2'])
  })

  it('fails softly, in words that hold no key and no address', async () => {
    await using server = await startListServer(key)
    const cases: [answer: Parameters<ListServer['answerWith']>[0], words: string][] = [
      [{ status: 401, body: `{"error":"${key}"}` }, '401'],
      [{ status: 302, headers: { location: `${server.url}/?key=${key}` } }, 'redirect'],
      [{ status: 200, body: `not JSON ${key}` }, 'no list'],
      [{ status: 200, body: `{"data":"${key}"}` }, 'no list'],
      [{ status: 200, body: ' '.repeat(9 * 1024 * 1024) }, 'too long'],
      ['never', 'did not answer within'],
    ]
    for (const [answer, words] of cases) {
      server.answerWith(answer)
      const lists = createModelLists({ clock: steppedClock(), timeoutMs: answer === 'never' ? 500 : 20_000 })
      const { models, error = '' } = await lists.of(provider(server))
      expect([models, error]).toEqual([[], expect.stringContaining(words)])
      expect(error).not.toContain(key)
      expect(error).not.toContain('127.0.0.1')
    }
    const nobody = provider({ url: 'http://127.0.0.1:9' })
    expect(await createModelLists({ clock: steppedClock() }).of(nobody)).toEqual({
      models: [],
      error: expect.stringMatching(/^It could not be reached/),
    })
    const unusable = provider({ url: `http://user:${key}@` })
    const { error } = await createModelLists({ clock: steppedClock() }).of(unusable)
    expect(error).toBe('It could not be reached (ERR_INVALID_URL).')
  })
})
