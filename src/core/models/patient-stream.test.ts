import { describe, expect, it } from 'vitest'
import type { ModelAdapter, ModelEvent } from './adapter.ts'
import { streamPatiently } from './patient-stream.ts'

const never = () => new Promise<never>(() => {})
const request = { system: '', messages: [], tools: [], cacheKey: 'test' }

/** Says a word and falls silent, whatever its signal says. */
const deaf: ModelAdapter = {
  id: 'own/deaf',
  async *stream(): AsyncGenerator<ModelEvent> {
    yield { type: 'text-delta', text: 'well' }
    yield await never()
  },
}

describe('a model that falls silent and does not listen', () => {
  it('is left when whoever asked stops waiting', async () => {
    const stop = new AbortController()
    const events = streamPatiently(deaf, request, { signal: stop.signal, idleMs: 3_600_000 })
    const heard: ModelEvent[] = []
    const listen = async () => {
      for await (const batch of events) {
        heard.push(...batch)
        stop.abort('stopped')
      }
    }
    await expect(listen()).rejects.toBe('stopped')
    expect(heard).toEqual([{ type: 'text-delta', text: 'well' }])
  })

  it('has failed after its time, which may pass', async () => {
    const events = streamPatiently(deaf, request, { signal: new AbortController().signal, idleMs: 20 })
    const listen = async () => {
      for await (const _ of events);
    }
    await expect(listen()).rejects.toMatchObject({ kind: 'timeout', isTransient: true })
  })

  it('that ends or throws is passed on as it is', async () => {
    const bounds = { signal: new AbortController().signal, idleMs: 60_000 }
    const listen = async (stream: ModelAdapter['stream']) => {
      const heard: ModelEvent[] = []
      for await (const batch of streamPatiently({ id: 'own/test', stream }, request, bounds))
        heard.push(...batch)
      return heard
    }
    const finish: ModelEvent = { type: 'finish', reason: 'stop', usage: {} }
    const ends = async function* () {
      yield finish
    }
    const throws = async function* (): AsyncGenerator<ModelEvent> {
      yield finish
      throw new Error('no luck')
    }
    expect(await listen(ends)).toEqual([finish])
    await expect(listen(throws)).rejects.toThrow('no luck')
  })
})
