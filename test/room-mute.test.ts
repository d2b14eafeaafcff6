import { describe, expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import { anyDatabase, sqliteDatabase, toOptions } from './harness.ts'
import { openRooms } from './room-harness.ts'
import { startRooms } from './room-server.ts'

const names = ({ calls }: { calls: { agent: string }[] }) => calls.map(({ agent }) => agent)

describe.each(anyDatabase)('a muted agent on %s', (_name, openDatabase) => {
  it('is not asked with the others, and hears what it missed when it is unmuted', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill', 'pip'])
    const room = await opened.parley.rooms.mute(id, { agent: 'Quill' })
    expect(room.settings.muted).toEqual(['quill'])
    await opened.say(id, 'hello')
    expect(names(opened)).toEqual(['mira', 'pip'])
    expect((await opened.parley.rooms.unmute(id, { agent: 'quill' })).settings.muted).toBeUndefined()
    await opened.say(id, '@quill and you?')
    expect(opened.calls.at(-1)!.told).toContain('hello')
    expect(opened.calls.at(-1)!.agent).toBe('quill')
  })

  it('is not asked when a person mentions it, who is told so', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill'])
    await opened.parley.rooms.mute(id, { agent: 'quill' })
    await opened.say(id, '@mira @quill hello')
    expect(names(opened)).toEqual(['mira'])
    const chunks = []
    for await (const { chunk } of opened.parley.sessions.chat(id, '@quill hello?')) chunks.push(chunk)
    expect(names(opened)).toEqual(['mira'])
    const [both, alone] = await opened.rounds(id)
    expect(both!.routing.left).toEqual([{ agent: 'quill', reason: 'Is muted.' }])
    expect(alone!.routing).toMatchObject({
      reason: 'nobody',
      text: 'Mentioned, but muted: Quill.',
      mentions: ['quill'],
      left: [{ agent: 'quill' }],
    })
    const told = chunks.find(({ type }) => type === 'data-round') as { data?: unknown } | undefined
    expect(told?.data).toMatchObject({ routing: { text: 'Mentioned, but muted: Quill.' }, agents: [] })
  })

  it('is not asked when another agent calls it', async () => {
    await using opened = await openRooms(openDatabase, () => '@quill what do you think?')
    const id = await opened.room(['mira', 'quill'])
    await opened.parley.rooms.mute(id, { agent: 'quill' })
    await opened.say(id, '@mira hello')
    expect(names(opened)).toEqual(['mira'])
    expect((await opened.rounds(id)).at(-1)!.routing).toMatchObject({
      reason: 'nobody',
      left: [{ agent: 'quill', reason: 'Is muted.' }],
    })
  })

  it('is passed over by turns, and leaves nobody to lead', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const turns = await opened.room(['mira', 'quill', 'pip'], { room: { policy: 'round-robin' } })
    await opened.parley.rooms.mute(turns, { agent: 'quill' })
    for (const text of ['one', 'two', 'three']) await opened.say(turns, text)
    expect(names(opened)).toEqual(['mira', 'pip', 'mira'])
    expect((await opened.read(turns)).state).toEqual({ next: 'pip' })
    const led = await opened.room(['mira', 'quill'], { room: { policy: 'moderator', muted: ['mira'] } })
    await opened.say(led, 'hello')
    expect(opened.calls).toHaveLength(3)
    expect((await opened.rounds(led))[0]!.routing.text).toContain('muted')
  })

  it('is not asked again in a round that was left open', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill', 'pip'], { room: { budget: { tokens: 1 } } })
    await opened.say(id, 'hello')
    expect(await opened.log(id)).not.toContain('pip: I am pip.')
    await opened.parley.sessions.update(id, { room: {} })
    await opened.parley.rooms.mute(id, { agent: 'pip' })
    await opened.advance(id)
    expect(await opened.log(id)).toContain('quill: I am quill.')
    expect(await opened.log(id)).not.toContain('pip: I am pip.')
  })

  it('stays so when its room is opened by another process', async () => {
    await using database = await openDatabase()
    const first = await createParley(toOptions(database))
    const { id } = await first.sessions.create({ agents: ['mira', 'quill'] })
    await first.rooms.mute(id, { agent: 'quill' })
    await first.close()
    const second = await createParley(toOptions(database))
    expect((await second.rooms.get(id)).settings.muted).toEqual(['quill'])
    await second.close()
  })

  it('is refused where it cannot be, by name', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const { rooms, sessions } = opened.parley
    const id = await opened.room(['mira', 'quill'])
    await expect(rooms.mute(id, { agent: 'pip' })).rejects.toThrow(
      'There is no agent "pip" in this room; its agents are "mira", "quill".',
    )
    await expect(sessions.update(id, { room: { muted: ['pip'] } })).rejects.toThrow('room.muted: "pip"')
    await rooms.mute(id, { agent: 'quill' })
    await expect(opened.setMode(id, { mode: 'quiz' })).rejects.toThrow(
      'The mode "quiz" needs all of its agents, and "quill" is muted: unmute it first.',
    )
    expect((await sessions.get(id)).mode).toBe('free_chat')
    const quiz = await opened.room(['mira', 'quill'], { mode: 'quiz' })
    await expect(rooms.mute(quiz, { agent: 'quill' })).rejects.toThrow(
      'The mode "quiz" needs all of its agents: none of them can be muted.',
    )
    await expect(sessions.update(quiz, { room: { muted: ['quill'] } })).rejects.toThrow('"quiz"')
    await expect(
      sessions.create({ mode: 'quiz', agents: ['mira', 'quill'], room: { muted: ['quill'] } }),
    ).rejects.toThrow('"quiz"')
  })
})

it('is muted and unmuted over HTTP, and by the client', async () => {
  await using server = await startRooms(sqliteDatabase)
  const { id } = await server.client.sessions.create({ agents: ['mira', 'quill'] })
  const answer = await server.send('POST', `/api/sessions/${id}/mute`, { agent: 'quill' })
  expect(answer).toMatchObject({ status: 200, json: { settings: { muted: ['quill'] } } })
  expect((await server.client.rooms.mute(id, { agent: 'mira' })).settings.muted).toEqual(['quill', 'mira'])
  expect((await server.client.rooms.unmute(id, { agent: 'quill' })).settings.muted).toEqual(['mira'])
  const missing = await server.send('POST', `/api/sessions/${id}/mute`, { agent: 'pip' })
  expect(missing).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining('pip') } } })
})
