import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Hook } from '../../core/hooks/hook.ts'
import { createHooks } from '../../core/hooks/hooks.ts'
import { memoryHookEvents } from './hook-events.ts'
import { afterExtract, beforeInject } from './memory-hooks.ts'

const silent = pino({ level: 'silent' })
const never = new AbortController().signal
const open = (hooks: readonly Hook[]) =>
  createHooks(hooks, { events: memoryHookEvents, timeoutMs: 5_000, logger: silent })

describe('hooks about memories', () => {
  const memory = (id: string) => ({
    id,
    layer: 'scope' as const,
    type: 'narrative' as const,
    text: `text ${id}`,
  })
  const turn = { scope: 'default', sessionId: 'ses_1', query: 'harbour' }

  it('keep some of those that were found, and look for others', async () => {
    const looked: string[] = []
    const look = async (query: string) => {
      looked.push(query)
      return query === 'harbour' ? [memory('a'), memory('b')] : [memory('b'), memory('c'), memory('d')]
    }
    const hooks = open([
      { event: 'PreMemoryInject', run: () => ({ memories: ['a', 'unknown'], query: 'boats' }) },
      { event: 'PreMemoryInject', run: ({ query, memories }) => ({ query, memories: memories.slice(1).map(({ id }) => id) }) }, // oxfmt-ignore
    ])
    expect(
      (await beforeInject(silent, hooks.of('PreMemoryInject'), turn, look, never)).map(({ id }) => id),
    ).toEqual(['d'])
    expect(looked).toEqual(['harbour', 'boats'])
  })

  it('leave out some of what was learned', async () => {
    const learned = ['one', 'two', 'three'].map((text) => ({ ...memory(''), text }))
    const seen: unknown[] = []
    const hooks = open([
      {
        event: 'PostMemoryExtract',
        run: ({ memories }) => ({ exclude: memories.flatMap(({ id, text }) => (text === 'two' ? id : [])) }),
      },
      {
        event: 'PostMemoryExtract',
        run({ memories }) {
          seen.push(...memories.map(({ text }) => text))
          throw new Error('Broken.')
        },
      },
    ])
    const left = await afterExtract(
      silent,
      hooks.of('PostMemoryExtract'),
      { scope: 'default', sessionId: 'ses_1', runId: 'run_1' },
      learned,
      never,
    )
    expect(left.map(({ text }) => text)).toEqual(['one', 'three'])
    expect(seen).toEqual(['one', 'three'])
  })
})
