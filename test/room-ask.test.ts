import { describe, expect, it } from 'vitest'
import type { Message } from '../src/core/protocol/message.ts'
import type { RunRecord } from '../src/core/protocol/chat.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { openRooms } from './room-harness.ts'
import { startRooms } from './room-server.ts'

type Opened = Awaited<ReturnType<typeof openRooms>>

const over = async ({ parley }: Opened, { id, sessionId }: RunRecord) => {
  const run = (await parley.store.getRun('default', id))!
  await parley.chats.answerOf(run, new AbortController().signal)
  return (await parley.sessions.messages(sessionId)).items
}

describe.each(anyDatabase)('one agent on %s', (_name, openDatabase) => {
  it('is asked alone, without a word and without those it calls', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}. @pip?`)
    const id = await opened.room(['mira', 'quill', 'pip'], { room: { policy: 'silent' } })
    await opened.say(id, 'hello')
    await over(opened, await opened.parley.rooms.ask(id, { agent: 'Quill' }))
    expect(await opened.log(id)).toEqual(['operator: hello', 'quill: I am quill. @pip?'])
    expect(opened.calls[0]!.told).toContain('hello')
    expect((await opened.rounds(id)).at(-1)).toMatchObject({
      routing: { reason: 'asked', text: 'operator asks Quill.' },
      turns: [{ agent: 'quill', status: 'said' }],
    })
  })

  it('hears a whisper that nobody else hears, and what it answers nobody else hears', async () => {
    await using opened = await openRooms(openDatabase, ({ agent, told }) =>
      told.includes('swordfish') ? 'I keep the swordfish.' : `I am ${agent}.`,
    )
    const humans = [{ name: 'ada' }]
    const id = await opened.room(['mira', 'quill'], { room: { humans } })
    await opened.say(id, 'hello')
    const run = await opened.parley.rooms.ask(id, { agent: 'mira', whisper: 'The word is swordfish.' })
    await over(opened, run)
    const whispered = opened.calls.at(-1)!
    expect(whispered.agent).toBe('mira')
    expect(whispered.told).toContain(
      '<message from="ada" to="Mira" whispered="true">\nThe word is swordfish.\n',
    )
    await opened.say(id, 'And now?')
    const [mira, quill] = ['mira', 'quill'].map((name) =>
      opened.calls.findLast(({ agent }) => agent === name)!,
    )
    expect(mira!.prompt).toContain('swordfish')
    expect(quill!.prompt).not.toContain('swordfish')
    expect(await opened.log(id)).toEqual([
      'ada: hello',
      'mira: I am mira.',
      'quill: I am quill.',
      'ada: And now?',
      'mira: I am mira.',
      'quill: I am quill.',
    ])
    const [, round] = await opened.rounds(id)
    expect(round!.turns).toEqual([
      expect.objectContaining({
        agent: 'mira',
        private: true,
        text: 'I keep the swordfish.',
        whisper: { from: 'ada', text: 'The word is swordfish.' },
      }),
    ])
    expect(JSON.stringify(await opened.parley.sessions.export(id, { format: 'json' }))).not.toContain(
      'swordfish',
    )
  })

  it('does not tell the room what it was whispered when the round is taken up again', async () => {
    let isOpen = true
    await using opened = await openRooms(openDatabase, ({ agent }) => {
      if (isOpen) return `I am ${agent}.`
      return 'a secret answer'
    })
    const id = await opened.room(['mira', 'quill'], { room: { budget: { tokens: 1 } } })
    await over(opened, await opened.parley.rooms.ask(id, { agent: 'mira', whisper: 'psst' }))
    isOpen = false
    await opened.parley.sessions.update(id, { room: {} })
    await opened.advance(id)
    expect(opened.calls.at(-1)!.prompt).toContain('psst')
    expect(await opened.log(id)).toEqual([])
  })

  it('answers again in a variant, and the other answers of the round stay', async () => {
    let count = 0
    await using opened = await openRooms(openDatabase, ({ agent }) => `${agent} ${++count}`)
    const id = await opened.room(['mira', 'quill', 'pip'])
    await opened.say(id, 'hello')
    const before = await opened.log(id)
    const { items } = await opened.parley.sessions.messages(id)
    const quill = items.find(({ metadata }) => metadata?.agent === 'quill')!
    await opened.say(id, '@mira later')
    const run = await opened.parley.rooms.regenerate(id, { messageId: quill.id })
    expect(run.sessionId).not.toBe(id)
    const made = (await over(opened, run)).map(messageText)
    expect(made).toEqual(['hello', before[1]!.split(': ')[1], 'quill 5', before[3]!.split(': ')[1]])
    expect(opened.calls.at(-1)!.told).toContain('<message from="operator">\nhello\n</message>')
    expect(opened.calls).toHaveLength(5)
    expect((await opened.log(id)).slice(0, 4)).toEqual(before)
    const variants = await opened.parley.sessions.variants(id)
    expect(variants.items.map(({ sessionId }) => sessionId)).toEqual([id, run.sessionId])
    // and once more, of what was made again
    const again = (await opened.parley.sessions.messages(run.sessionId)).items.find(
      ({ metadata }) => metadata?.agent === 'mira',
    )!
    const second = await opened.parley.rooms.regenerate(run.sessionId, { messageId: again.id })
    expect((await over(opened, second)).map(messageText)).toEqual(['hello', 'mira 6', 'quill 5', made[3]])
  })

  it('is refused where it cannot be, by name', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const { rooms, sessions } = opened.parley
    const id = await opened.room(['mira', 'quill'])
    await opened.say(id, '@mira hello')
    const [said, answer] = (await sessions.messages(id)).items as [Message, Message]
    await expect(rooms.ask(id, { agent: 'pip' })).rejects.toThrow('There is no agent "pip" in this room')
    await expect(rooms.regenerate(id, { messageId: said.id })).rejects.toThrow(
      'is not the answer of an agent',
    )
    await expect(rooms.regenerate(id, { messageId: 'msg_none' })).rejects.toThrow('msg_none')
    await rooms.mute(id, { agent: 'mira' })
    await expect(rooms.ask(id, { agent: 'mira' })).rejects.toThrow(
      'The agent "mira" is muted: unmute it first.',
    )
    await expect(rooms.regenerate(id, { messageId: answer.id })).rejects.toThrow('"mira" is muted')
    const quiz = await opened.room(['mira', 'quill'], { mode: 'quiz' })
    await expect(rooms.ask(quiz, { agent: 'mira' })).rejects.toThrow(
      'The mode "quiz" decides itself who is asked.',
    )
    expect((await sessions.list({ mode: '*' })).items).toHaveLength(2)
  })
})

it('is asked over HTTP, and by the client', async () => {
  await using server = await startRooms(sqliteDatabase)
  const { client } = server
  const { id } = await client.sessions.create({ agents: ['mira', 'quill'], room: { policy: 'silent' } })
  const asked = await server.send('POST', `/api/sessions/${id}/ask`, { agent: 'mira' })
  expect(asked).toMatchObject({ status: 202, json: { kind: 'room', sessionId: id } })
  for await (const _ of client.sessions.observe(id, { run: asked.json.id }));
  const { items } = await client.sessions.messages(id)
  expect(items.map(messageText)).toEqual(['Mira here.'])
  const again = await client.rooms.regenerate(id, { messageId: items[0]!.id })
  expect(again.sessionId).not.toBe(id)
  for await (const _ of client.sessions.observe(again.sessionId, { run: again.id }));
  const whispered = await client.rooms.ask(id, { agent: 'quill', whisper: 'psst' })
  for await (const _ of client.sessions.observe(id, { run: whispered.id }));
  expect((await client.rooms.rounds(id)).items[0]!.turns[0]).toMatchObject({ whisper: { text: 'psst' } })
  const refused = await server.send('POST', `/api/sessions/${id}/ask`, { agent: 'pip' })
  expect(refused).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining('pip') } } })
})
