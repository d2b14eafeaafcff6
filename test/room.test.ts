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
    // the date comes before what was said, once
    expect(opened.calls[1]!.told.split('</context>').at(-1)!.trim()).toBe(
      '<message from="operator" to="Mira">\nfirst\n</message>\n<message from="Mira">\nI am mira.\n</message>\n<message from="operator" to="Quill">\nsecond\n</message>',
    )
    expect(opened.calls[2]!.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(opened.calls[2]!.told).toBe(
      '<message from="operator" to="Quill">\nsecond\n</message>\n<message from="Quill">\nI am quill.\n</message>\n<message from="operator" to="Mira">\nthird\n</message>',
    )
  })

  it('tells agents a sentence with all who are named in it', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill'])
    await opened.say(id, 'I think @mira is wrong and @quill is right')
    await opened.say(id, '@mira what does @quill think?')
    expect(opened.calls[0]!.told).toContain(
      '<message from="operator" to="Mira, Quill">\nI think @mira is wrong and @quill is right\n</message>',
    )
    expect(opened.calls.at(-1)!.told).toContain(
      '<message from="operator" to="Mira">\nwhat does @quill think?\n</message>',
    )
  })

  it('leaves what is said to a person to that person', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const humans = [{ name: 'ada' }, { name: 'bob', displayName: 'Bob the Builder' }]
    const id = await opened.room(['mira', 'quill'], { room: { humans } })
    await opened.say(id, '@bob is that so?', 'ada')
    await opened.say(id, '@Bob the Builder, is that so?', 'ada')
    expect(opened.calls).toEqual([])
    const [round] = await opened.rounds(id)
    expect(round).toMatchObject({ routing: { reason: 'nobody' }, turns: [] })
    await opened.say(id, '@mira ask @bob', 'ada')
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['mira'])
    expect(opened.calls[0]!.told).toContain('<message from="ada" to="Bob the Builder">\nis that so?\n')
  })
})
