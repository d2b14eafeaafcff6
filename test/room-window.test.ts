import { describe, expect, it } from 'vitest'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { anyDatabase, type OpenDatabase } from './harness.ts'
import { openRooms } from './room-harness.ts'

/** How many messages agents are sent in the end: one that was always there, and one that comes in last. */
async function talk(openDatabase: OpenDatabase, window: WindowSettings | undefined, ofCall?: WindowSettings) {
  await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
  const id = await opened.room(['mira', 'quill'], { ...(window && { window }) })
  const say = (content: string) =>
    opened.parley.sessions.chat(id, { content, ...(ofCall && { window: ofCall }) })
  for (let round = 1; round <= 35; round++) await say(`@mira round ${round}.`)
  const always = opened.calls.at(-1)!.request.messages.length
  await say('@quill what was said?')
  const lines = opened.calls.at(-1)!.told.match(/<message /g)!.length
  return { always, newcomer: lines }
}

describe.each(anyDatabase)('the window of a room on %s', (_name, openDatabase) => {
  it.each([
    ['last-10', 10],
    ['last-20', 20],
    ['unlimited', 0],
  ] as const)(
    'is what the preset %s says, as it is with a limit of %d messages',
    async (preset, messages) => {
      const limited = await talk(openDatabase, { limit: { chars: 0, messages, tokens: 0 } })
      expect(await talk(openDatabase, { preset })).toEqual(limited)
      const usual = await talk(openDatabase, undefined)
      if (preset === 'last-10') expect(limited.newcomer).toBe(10)
      if (preset === 'unlimited') expect(limited).toEqual({ always: 69, newcomer: 71 })
      else expect(limited.always).toBeLessThan(usual.always)
      expect(usual.newcomer).toBe(20)
    },
  )

  it.each<[string, WindowSettings, WindowSettings]>([
    ['messages', { resize: { max_keep_messages_count: 10 } }, { limit: { chars: 0, messages: 10 } }],
    ['characters', { resize: { max_messages_text_length: 900 } }, { limit: { chars: 900, messages: 60 } }],
  ])('is what it is said to be in other words: %s', async (_what, resize, limit) => {
    const { always } = await talk(openDatabase, resize)
    expect(always).toBe((await talk(openDatabase, limit)).always)
    expect(always).toBeLessThan((await talk(openDatabase, undefined)).always)
  })

  it('may be said with what is said', async () => {
    const set = await talk(openDatabase, { preset: 'last-10' })
    expect(await talk(openDatabase, undefined, { preset: 'last-10' })).toEqual(set)
    expect(await talk(openDatabase, { preset: 'unlimited' }, { preset: 'last-10' })).toEqual(set)
  })
})
