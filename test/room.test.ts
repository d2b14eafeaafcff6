import { describe, expect, it } from 'vitest'
import { anyDatabase } from './harness.ts'
import { openRooms } from './room-harness.ts'

describe.each(anyDatabase)('a room on %s', (_name, openDatabase) => {
  it('asks all agents at once, and stores their answers in the order of the room', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill', 'pip'])
    const answer = await opened.say(id, 'hello')
    expect(answer.run).toMatchObject({ kind: 'room', status: 'completed' })
    expect(await opened.log(id)).toEqual([
      'operator: hello',
      'mira: I am mira.',
      'quill: I am quill.',
      'pip: I am pip.',
    ])
    expect(answer.messages?.map(({ metadata }) => metadata?.agent)).toEqual(['mira', 'quill', 'pip'])
    const [round] = await opened.rounds(id)
    expect(round).toMatchObject({
      number: 1,
      routing: { reason: 'policy' },
      turns: [{ status: 'said' }, {}, {}],
    })
  })

  it('asks those who are mentioned, and tells each what was said since it spoke last', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill'])
    await opened.say(id, '@mira first')
    await opened.say(id, '@quill second')
    await opened.say(id, '@mira third')
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['mira', 'quill', 'mira'])
    expect(opened.calls[1]!.told).toBe(
      '<message from="operator" to="Mira">\nfirst\n</message>\n<message from="Mira">\nI am mira.\n</message>\n<message from="operator" to="Quill">\nsecond\n</message>',
    )
    expect(opened.calls[2]!.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(opened.calls[2]!.told).toBe(
      '<message from="operator" to="Quill">\nsecond\n</message>\n<message from="Quill">\nI am quill.\n</message>\n<message from="operator" to="Mira">\nthird\n</message>',
    )
  })
})
