import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import type { ModelEvent, ModelRequest } from './adapter.ts'
import { createAiSdkAdapter } from './ai-sdk.ts'

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 9, noCache: 2, cacheRead: 4, cacheWrite: 3 },
  outputTokens: { total: 5, text: 4, reasoning: 1 },
}
const end: LanguageModelV4StreamPart = {
  type: 'finish',
  usage,
  finishReason: { unified: 'stop', raw: 'stop' },
}
const request: ModelRequest = { system: '', messages: [], tools: [], cacheKey: 'k' }

const modelOf = (...parts: LanguageModelV4StreamPart[]) =>
  ({ doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }) }) as unknown as LanguageModelV4

async function hear(model: LanguageModelV4 | (() => Promise<LanguageModelV4>)): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of createAiSdkAdapter('x/m', model).stream(request, new AbortController().signal))
    events.push(event)
  return events
}

it('maps every count of tokens', async () => {
  expect(await hear(modelOf(end))).toEqual([
    {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 9, outputTokens: 5, reasoningTokens: 1, cacheReadTokens: 4, cacheWriteTokens: 3 },
    },
  ])
})

it('opens a reasoning of which only the signature is told, so that it is kept', async () => {
  const providerMetadata = { anthropic: { redactedData: 'secret' } }
  const events = await hear(
    modelOf({ type: 'reasoning-start', id: '0', providerMetadata }, { type: 'reasoning-end', id: '0' }, end),
  )
  expect(events.slice(0, 2)).toEqual([
    { type: 'reasoning-delta', text: '' },
    { type: 'reasoning-end', providerMetadata },
  ])
})

it('leaves out a reasoning of which nothing is told', async () => {
  const events = await hear(
    modelOf({ type: 'reasoning-start', id: '0' }, { type: 'reasoning-end', id: '0' }, end),
  )
  expect(events.map(({ type }) => type)).toEqual(['finish'])
})

it('keeps calls back until the reply is complete', async () => {
  const call: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' }
  const after: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'after' }
  expect((await hear(modelOf(call, after, end))).map(({ type }) => type)).toEqual([
    'text-delta',
    'tool-call',
    'finish',
  ])
  const broken = createAiSdkAdapter('x/m', modelOf(call, after)).stream(request, new AbortController().signal)
  const told: string[] = []
  await expect(async () => {
    for await (const event of broken) told.push(event.type)
  }).rejects.toMatchObject({ kind: 'network' })
  expect(told).toEqual(['text-delta'])
})

it('ends with one finish, whatever follows', async () => {
  const events = await hear(modelOf(end, { type: 'text-delta', id: '0', delta: 'more' }, end))
  expect(events.map(({ type }) => type)).toEqual(['finish'])
})

it('loads its model once, and again only if that failed', async () => {
  let loads = 0
  const adapter = createAiSdkAdapter('x/m', () => {
    loads++
    return loads === 1 ? Promise.reject(new Error('no such package')) : Promise.resolve(modelOf(end))
  })
  const run = () => Array.fromAsync(adapter.stream(request, new AbortController().signal))
  await expect(run()).rejects.toMatchObject({ kind: 'unavailable' })
  await run()
  await run()
  expect(loads).toBe(2)
})
