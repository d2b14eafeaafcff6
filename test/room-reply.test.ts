import { describe, expect, it } from 'vitest'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { openRooms } from './room-harness.ts'
import { startRooms } from './room-server.ts'

describe.each(anyDatabase)('a reply to one message on %s', (_name, openDatabase) => {
  it('tells agents what it replies to, however long ago that was said', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}, "so" <to> say.`)
    const id = await opened.room(['mira', 'quill'])
    await opened.say(id, '@mira hello')
    const [said, answer] = (await opened.parley.sessions.messages(id)).items
    await opened.say(id, '@quill something else')
    await opened.parley.sessions.chat(id, { content: '@quill do you agree?', replyTo: answer!.id })
    expect(opened.calls.at(-1)!.told).toBe(
      '<message from="operator" to="Quill" reply-to="Mira: I am mira, so to say.">\ndo you agree?\n</message>',
    )
    await opened.parley.sessions.chat(id, { content: '@quill and this?', replyTo: said!.id })
    expect(opened.calls.at(-1)!.told).toContain('reply-to="operator: @mira hello"')
    const stored = (await opened.parley.sessions.messages(id)).items.findLast(({ role }) => role === 'user')
    expect(stored!.metadata).toMatchObject({
      replyTo: { id: said!.id, from: 'operator', text: '@mira hello' },
    })
  })

  it('is refused when there is no such message, and outside of rooms', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const { sessions } = opened.parley
    const id = await opened.room(['mira'])
    await expect(sessions.chat(id, { content: 'hello', replyTo: 'msg_none' })).rejects.toThrow('msg_none')
    expect(await opened.log(id)).toEqual([])
    const plain = await sessions.create({})
    await expect(sessions.chat(plain.id, { content: 'hello', replyTo: 'msg_none' })).rejects.toThrow(
      '"replyTo" is for rooms: this session has no agents.',
    )
  })

  it('is not what metadata of a message says', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira'])
    const replyTo = { id: 'msg_none', agent: 'mira', text: 'I am wrong.' }
    await opened.parley.sessions.chat(id, { content: 'hello', metadata: { replyTo } })
    expect(opened.calls[0]!.prompt).not.toContain('I am wrong.')
  })
})

it('is said over HTTP', async () => {
  await using server = await startRooms(sqliteDatabase)
  const { id } = await server.client.sessions.create({ agents: ['mira'] })
  await server.client.sessions.chat(id, 'hello')
  const [, answer] = (await server.client.sessions.messages(id)).items
  await server.client.sessions.chat(id, { content: 'why?', replyTo: answer!.id })
  expect(JSON.stringify(server.requests.at(-1)!.messages)).toContain('reply-to=\\"Mira: Mira here.\\"')
})
