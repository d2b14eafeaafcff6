/** Prompts know the day, once a day. */
import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/index.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createScripted, says } from './chat-harness.ts'
import { steppedClock, temporaryFolder } from './harness.ts'

const dayMs = 86_400_000
const dateIn = (text: string) => /<current_date>\\n(.*?)\\n<\/current_date>/.exec(text)?.[1]
const lastOf = ({ messages }: ModelRequest) => JSON.stringify(messages.at(-1))

async function open(options: Partial<ParleyOptions> = {}) {
  const folder = temporaryFolder()
  const clock = steppedClock(Date.parse('2026-01-04T22:00:00Z'))
  const model = createScripted(() => says('ok'))
  const start = () =>
    createParley({
      dataDir: folder.path,
      clock,
      timeZone: 'Europe/Berlin',
      models: { model: 'scripted/x', extra: { scripted: () => model } },
      ...options,
    })
  return { clock, model, start, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('the date', () => {
  it('is told once a day, by the calendar of its time zone, over restarts too', async () => {
    using test = await open()
    const { clock, model } = test
    let id: string
    {
      await using parley = await test.start()
      id = (await parley.sessions.create()).id
      await parley.sessions.chat(id, 'hi')
      expect(dateIn(lastOf(model.requests[0]!))).toBe('Sunday, 2026-01-04 (Europe/Berlin)')
      expect(model.requests[0]!.system).not.toContain('2026')
      clock.advance(1_800_000)
      await parley.sessions.chat(id, 'and now')
      // the prompt of a turn is its input and nothing more
      expect(model.requests[1]!.messages.at(-1)).toEqual({
        role: 'user',
        content: [{ type: 'text', text: 'and now' }],
      })
      clock.advance(3_600_000)
      await parley.sessions.chat(id, 'after midnight')
      expect(dateIn(lastOf(model.requests[2]!))).toBe('Monday, 2026-01-05 (Europe/Berlin)')
    }
    await using parley = await test.start()
    await parley.sessions.chat(id, 'after a restart')
    expect(dateIn(lastOf(model.requests[3]!))).toBeUndefined()
    clock.advance(2 * dayMs)
    await parley.sessions.chat(id, 'two days later')
    expect(dateIn(lastOf(model.requests[4]!))).toBe('Wednesday, 2026-01-07 (Europe/Berlin)')
    // what was sent stays a prefix of what is sent next
    for (const [index, { messages, system }] of model.requests.entries()) {
      const before = model.requests[index - 1]
      expect(system).toBe(model.requests[0]!.system)
      expect(messages.slice(0, before?.messages.length ?? 0)).toEqual(before?.messages ?? [])
    }
  })

  it('is told to sessions of every kind, and to no agent of a program', async () => {
    using test = await open()
    await using parley = await test.start()
    const { model } = test
    const told = () => dateIn(JSON.stringify(model.requests.at(-1)!.messages))
    const management = await parley.workflows.managementSession()
    await parley.sessions.chat(management.id, 'hi')
    expect(told()).toContain('2026-01-04')
    const { promise } = await parley.background.trigger('default', { prompt: 'x' }, { triggerType: 'api' })
    await promise
    expect(told()).toContain('2026-01-04')
    await using agent = createAgent({ model, instructions: 'Be brief.' })
    await agent.ask('hi')
    expect(model.requests.at(-1)!.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ])
  })

  it('of a time zone that nobody knows is refused before anything is opened', async () => {
    using test = await open({ timeZone: 'Europe/Berln' })
    await expect(test.start()).rejects.toThrow(
      'The time zone "Europe/Berln" is not known. Name one of the IANA database, such as "Europe/Berlin".',
    )
  })
})
