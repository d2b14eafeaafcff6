import { describe, expect, it } from 'vitest'
import type { Chunk } from '../src/core/protocol/chunk.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { startRooms } from './room-server.ts'

const trio = ['mira', 'quill', 'pip']

describe.each(anyDatabase)('rooms over HTTP on %s', (_name, openDatabase) => {
  it('are made, talked in and looked at', async () => {
    await using server = await startRooms(openDatabase)
    const { sessions, rooms } = server.client
    const { items: modes } = await rooms.modes()
    expect(modes.map(({ name }) => name)).toEqual(['free_chat', 'workflow', 'werewolf', 'quiz'])
    const room = await sessions.create({ mode: 'free_chat', agents: trio, room: { hopLimit: 1 } })
    expect(room).toMatchObject({ mode: 'free_chat', agents: trio })

    const answer = await sessions.chat(room.id, 'Hello')
    expect(answer.messages?.map((message) => [message.metadata?.agent, messageText(message)])).toEqual([
      ['mira', 'Mira here.'],
      ['quill', 'Quill here.'],
      ['pip', 'Pip here.'],
    ])
    const chunks: Chunk[] = []
    const watched = sessions.chat(room.id, '@pip and you?')
    for await (const { chunk } of watched) chunks.push(chunk)
    expect(chunks.filter(({ type }) => type === 'data-round')).toMatchObject([
      {
        id: 'round-1',
        data: { number: 1, agents: ['pip'], routing: { reason: 'mention', mentions: ['pip'] } },
      },
    ])
    expect(chunks.find(({ type }) => type === 'text-start')).toMatchObject({
      id: expect.stringMatching(/^pip:/),
      providerMetadata: { parley: { agent: 'pip' } },
    })
    // what was watched is the same as what is awaited
    expect((await watched).messages).toMatchObject([{ metadata: { agent: 'pip', round: 1 } }])

    const shown = await rooms.get(room.id)
    expect(shown).toMatchObject({
      id: room.id,
      mode: { name: 'free_chat' },
      settings: { policy: 'all', hopLimit: 1 },
      missing: [],
      asks: [],
      sealed: false,
      canAdvance: false,
    })
    expect(shown.agents.map(({ name }) => name)).toEqual(trio)
    expect(await rooms.get(room.id)).toEqual(await server.parley.rooms.get(room.id))

    const page = await rooms.rounds(room.id, { limit: 1 })
    expect(page.items).toMatchObject([{ turns: [{ agent: 'pip', status: 'said' }] }])
    const next = await rooms.rounds(room.id, { limit: 1, cursor: page.nextCursor! })
    expect(next).toMatchObject({ items: [{ runId: answer.run.id, number: 1 }], nextCursor: null })
    expect((await rooms.rounds(room.id, { run: answer.run.id })).items).toEqual(next.items)
    expect(await rooms.rounds(room.id)).toEqual(await server.parley.rooms.rounds(room.id))
  })

  it('close the sessions of agents as long as a person plays against them', async () => {
    await using server = await startRooms(openDatabase)
    const { sessions, rooms } = server.client
    const room = await sessions.create({
      mode: 'werewolf',
      modeState: { seed: 11 },
      agents: [...trio, 'coder', 'reviewer'],
      room: { humans: [{ name: 'anna', plays: true }, { name: 'operator' }] },
    })
    const { run } = await sessions.chat(room.id, { content: 'begin', from: 'operator' })
    expect(await rooms.get(room.id)).toMatchObject({ sealed: true })
    const inStore = await server.parley.store.listRuns('default', { parentId: run.id, limit: 10 })
    const [asked] = inStore.items
    expect(JSON.stringify(asked!.input)).toContain('wolf')

    const seat = `/api/sessions/${asked!.sessionId}`
    for (const [method, path, body] of [
      ['GET', seat],
      ['GET', `${seat}/messages`],
      ['GET', `${seat}/export`],
      ['GET', `${seat}/prompt`],
      ['GET', `/api/runs/${asked!.id}`],
      ['GET', `/api/runs/${asked!.id}/prompt`],
      ['POST', `${seat}/fork`, {}],
      ['POST', `${seat}/messages`, { role: 'user', parts: [{ type: 'text', text: 'Spare anna.' }] }],
      ['PATCH', `${seat}/queue/${asked!.id}`, { content: 'Spare anna.' }],
      ['DELETE', seat],
    ] as const)
      expect([method, path, (await server.send(method, path, body)).status]).toEqual([method, path, 403])
    for (const query of [`parent=${run.id}`, `session=${asked!.sessionId}`, 'limit=200'])
      expect(JSON.stringify((await server.send('GET', `/api/runs?${query}`)).json)).not.toContain(asked!.id)
    expect(JSON.stringify((await server.send('GET', '/api/runs')).json)).toContain(run.id)

    await rooms.setMode(room.id, { mode: 'free_chat' })
    const open = await sessions.chat(room.id, 'Hi @mira')
    const { json } = await server.send('GET', `/api/runs?parent=${open.run.id}`)
    expect(json).toMatchObject({ items: [{ parentId: open.run.id }] })
  })

  it('change their mode, and are taken on', async () => {
    await using server = await startRooms(openDatabase)
    const { sessions, rooms } = server.client
    const room = await sessions.create({ mode: 'free_chat', agents: trio })
    const roleMap = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`node-${index}`, 'mira']))
    await expect(sessions.update(room.id, { room: { roleMap } })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(rooms.advance(room.id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(rooms.setMode(room.id, { mode: 'chess' })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(rooms.setMode(room.id, { mode: 'quiz', modeState: { topic: 7 } })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect((await sessions.get(room.id)).mode).toBe('free_chat')
    const quiz = await rooms.setMode(room.id, { mode: 'quiz', modeState: { topic: 'cheese', rounds: 1 } })
    expect(quiz).toMatchObject({ mode: 'quiz', modeState: { topic: 'cheese' } })

    const path = `/api/sessions/${room.id}/advance`
    const headers = { 'idempotency-key': 'once' }
    const first = await server.send('POST', path, {}, headers)
    expect(first.status).toBe(202)
    expect(first.json).toMatchObject({ sessionId: room.id, kind: 'room' })
    expect(first.headers.get('x-parley-run')).toBe(first.json.id)
    const again = await server.send('POST', path, {}, headers)
    expect(again.json.id).toBe(first.json.id)
    const seen: string[] = []
    for await (const { events } of sessions.observe(room.id, { run: first.json.id }))
      seen.push(...events.map(({ chunk }) => chunk.type))
    expect(seen).toContain('data-round')
    expect(seen).toContain('data-room')
    expect(seen).toContain('finish')
  })

  it('stream what comes of taking them on', async () => {
    await using server = await startRooms(openDatabase)
    const room = await server.client.sessions.create({ mode: 'quiz', agents: trio, modeState: { rounds: 1 } })
    const response = await fetch(`${server.url}/api/sessions/${room.id}/advance`, {
      method: 'POST',
      headers: { accept: 'text/event-stream' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('x-parley-run')).toMatch(/^run_/)
    const text = await response.text()
    expect(text).toContain('"type":"data-round"')
    expect(text).toContain('[DONE]')
  })

  it('are not seen from another scope, and nothing else is taken for one', async () => {
    await using server = await startRooms(openDatabase)
    const { sessions, rooms } = server.client
    const room = await sessions.create({ scope: 'red', mode: 'free_chat', agents: trio })
    const plain = await sessions.create({})
    for (const call of [
      () => rooms.get(room.id),
      () => rooms.rounds(room.id),
      () => rooms.setMode(room.id, { mode: 'quiz' }),
      () => rooms.advance(room.id),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'not_found' })
    for (const call of [rooms.get, rooms.rounds, rooms.advance])
      await expect(call(plain.id)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(rooms.get(room.id, { scope: 'red', as: 'nobody' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})

describe.each(anyDatabase)('the earlier chat on %s', (_name, openDatabase) => {
  it('makes a room of the trio, and answers what each of them says', async () => {
    await using server = await startRooms(openDatabase, (agent) =>
      agent === 'Quill' ? [new ModelFault('quota', 'no credit')] : undefined,
    )
    const message = '  Which\nname is best for a cat? '
    const { status, json } = await server.send('POST', '/api/chat', { message })
    expect(status, JSON.stringify(json)).toBe(200)
    expect(json).toMatchObject({
      thread_slug: null,
      mode: 'free_chat',
      user_message: { sender: 'operator', sender_type: 'user', cat_name: null, text: message, model: null },
    })
    expect(json.responses.map((row) => [row.sender, row.cat_name, row.text])).toEqual(
      expect.arrayContaining([
        ['mira', 'mira', 'Mira here.'],
        ['pip', 'pip', 'Pip here.'],
        ['quill', 'quill', ''],
      ]),
    )
    expect(json.responses).toHaveLength(3)
    const [mira] = json.responses
    expect(mira).toMatchObject({
      sender_type: 'cat',
      provider: 'scripted',
      model: 'scripted/test',
      input_tokens: 10,
      output_tokens: 5,
      duration_ms: expect.any(Number),
    })
    expect(mira).not.toHaveProperty('error')
    const quill = json.responses.find((row) => row.sender === 'quill')!
    expect(quill.error).toContain('no credit')
    const session = await server.client.sessions.get(json.thread_id)
    expect(session).toMatchObject({ title: 'Which name is best f', agents: trio, mode: 'free_chat' })

    // it goes on in the same session, and to whom it mentions
    const next = await server.send('POST', '/api/chat', { message: '@Pip go on', thread_id: json.thread_id })
    expect(next.json.responses).toMatchObject([{ cat_name: 'pip' }])
    expect(next.json.thread_id).toBe(json.thread_id)
  })

  it('keeps to the thread of a session', async () => {
    await using server = await startRooms(openDatabase)
    const post = (body: object) => server.send('POST', '/api/chat', body)
    const { json } = await post({ message: 'Hi', thread_slug: 'cafe' })
    expect(json.thread_slug).toBe('cafe')
    expect(await server.client.threads.get('cafe')).toMatchObject({ sessionCount: 1 })
    const id = json.thread_id
    expect((await post({ message: 'Hi', thread_id: id, project_id: 'cafe' })).status).toBe(200)
    expect((await post({ message: 'Hi', thread_id: id, thread_slug: 'other' })).status).toBe(409)
    expect((await post({ message: 'Hi', thread_slug: 'a', project_id: 'b' })).status).toBe(400)
    expect((await post({ message: 'Hi', thread_slug: '../etc' })).status).toBe(400)
    expect((await post({ message: 'Hi', thread_id: 'ses_nowhere' })).status).toBe(404)
    const plain = await server.client.sessions.create({})
    expect((await post({ message: 'Hi', thread_id: plain.id })).status).toBe(400)
    expect(
      (await server.client.sessions.messages(id)).items.filter(({ role }) => role === 'user'),
    ).toHaveLength(2)
    // a thread that is archived takes no room, and none is left behind
    await server.client.threads.update('cafe', { archived: true, reason: 'over' })
    const before = (await server.client.sessions.list({ mode: '*' })).items.length
    expect((await post({ message: 'Hi', thread_slug: 'cafe' })).status).toBe(409)
    expect((await server.client.sessions.list({ mode: '*' })).items).toHaveLength(before)
  })

  it('takes modes and roles as they are given', async () => {
    await using server = await startRooms(openDatabase)
    const post = async (body: object) => (await server.send('POST', '/api/chat', body)).json
    const odd = await post({ message: 'Hi', mode: 'karaoke' })
    expect(odd).toMatchObject({ mode: 'free_chat' })
    const work = await post({ message: 'Write it', mode: 'workflow' })
    expect(work).toMatchObject({ mode: 'workflow' })
    expect((await server.client.sessions.get(work.thread_id)).agents).toEqual(['coder', 'reviewer', 'tester'])
    const moved = await post({ message: 'Never mind', thread_id: work.thread_id, mode: 'free_chat' })
    expect(moved).toMatchObject({ mode: 'free_chat' })

    const role_config = {
      models: [{ id: 'm1', provider: 'claude-cli', model: 'opus' }],
      stage_assignment: { coder: 'm1' },
      workflow_assignment: { reviewer: '咖啡', tester: 'nobody' },
      cats: {
        牛奶: { model_id: 'm1', nickname: 'milk', persona: 'Gentle.', avatar: '🐱' },
        咖啡: { nickname: 'coffee' },
        mira: { persona: 'Somebody else.' },
      },
    }
    const cafe = await post({ message: 'Meow @milk', role_config })
    expect(cafe.responses).toMatchObject([{ cat_name: '牛奶' }])
    const session = await server.client.sessions.get(cafe.thread_id)
    expect(session).toMatchObject({
      agents: ['牛奶', '咖啡', 'mira'],
      room: { roleMap: { coder: '牛奶', reviewer: '咖啡' } },
    })
    // its model is not to be had here; one that is there stays as it is
    const milk = await server.client.agents.get('牛奶')
    expect(milk).toMatchObject({ source: 'stored', persona: 'Gentle.', nicknames: ['milk'] })
    expect(milk).not.toHaveProperty('model')
    expect(await server.client.agents.get('mira')).toMatchObject({ source: 'shipped' })
    // said again it changes nothing; said anew, it counts
    const again = await post({ message: 'Meow @milk', thread_id: cafe.thread_id, role_config })
    expect(again.responses).toMatchObject([{ cat_name: '牛奶' }])
    const fewer = { cats: { 咖啡: {} } }
    const last = await post({ message: 'Meow', thread_id: cafe.thread_id, role_config: fewer })
    expect(last.responses).toMatchObject([{ cat_name: '咖啡' }])
  })

  it.each([
    ['more cats than a room can have', Array.from({ length: 51 }, (_, index) => `cat-${index}`)],
    ['a cat twice', ['mira', 'Mira']],
  ])('refuses %s, and stores nothing then', async (_, names) => {
    await using server = await startRooms(openDatabase)
    const cats = Object.fromEntries(names.map((name) => [name, {}]))
    const { status, json } = await server.send('POST', '/api/chat', { message: 'Hi', role_config: { cats } })
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('role_config: cats')])
    const { items } = await server.client.agents.list()
    expect(items.filter(({ source }) => source === 'stored')).toEqual([])
  })

  it('refuses a nickname that somebody has, and stores nothing then', async () => {
    await using server = await startRooms(openDatabase)
    const cats = { one: { nickname: 'same' }, two: { nickname: 'same' } }
    const { status, json } = await server.send('POST', '/api/chat', { message: 'Hi', role_config: { cats } })
    expect(status).toBe(409)
    expect(json.error.message).toContain('same')
    await expect(server.client.agents.get('one')).rejects.toMatchObject({ code: 'not_found' })
    expect((await server.client.sessions.list({ mode: '*' })).items).toEqual([])
  })

  it('is sent once, however often it is repeated', async () => {
    await using server = await startRooms(openDatabase)
    const headers = { 'idempotency-key': 'a-chat' }
    const [one, two] = await Promise.all(
      [1, 2].map(() => server.send('POST', '/api/chat', { message: 'Hi @mira' }, headers)),
    )
    expect(two!.json).toEqual(one!.json)
    expect(server.requests).toHaveLength(1)
  })

  it('hears of those who were called by others, and nothing of those who were silent', async () => {
    await using server = await startRooms(openDatabase, (agent) =>
      agent === 'Mira' ? says('Ask @pip.') : agent === 'Quill' ? says('REPLY_SKIP') : undefined,
    )
    const { json } = await server.send('POST', '/api/chat', { message: '@mira @quill Hi' })
    expect(json.responses.map((row) => [row.cat_name, row.text])).toEqual([
      ['mira', 'Ask @pip.'],
      ['pip', 'Pip here.'],
    ])
  })
})
