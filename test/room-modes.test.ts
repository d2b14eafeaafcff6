import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anyDatabase, sqliteDatabase, temporaryFolder } from './harness.ts'
import { callsTool, openRooms, type AgentCall } from './room-harness.ts'
import { chooseFrom, lehmer } from './room/scripted-players.ts'

const approves = { decision: 'approve', must_fix: [], nice_to_have: [], tests: [], security: [] }
const tests = { test_plan: 'Run all.', commands: ['node --test'], expected_results: ['all pass'] }

describe.each(anyDatabase)('agents that call one another on %s', (_name, openDatabase) => {
  it('stop at the hop limit, and it is said why', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) =>
      agent === 'mira' ? 'What do you say, @quill?' : 'And you, @mira?',
    )
    const id = await opened.room(['mira', 'quill'], { room: { hopLimit: 4 } })
    const { run } = await opened.say(id, '@mira begin')
    expect(run.status).toBe('completed')
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['mira', 'quill', 'mira', 'quill', 'mira'])
    const last = (await opened.rounds(id)).at(-1)!
    expect(last.routing).toMatchObject({ stopped: 'hop_limit', left: [{ agent: 'quill' }] })
    expect(last.routing.text).toContain('4')
  })

  it('rest as long as the room asks for', async () => {
    await using opened = await openRooms(openDatabase, () => '@mira @quill @pip go on')
    const id = await opened.room(['mira', 'quill', 'pip'], { room: { coolDown: 1 } })
    await opened.say(id, 'begin')
    expect(opened.calls).toHaveLength(3)
    expect((await opened.rounds(id)).at(-1)!.routing.stopped).toBe('cool_down')
  })

  it('answer no more often than the room allows', async () => {
    await using opened = await openRooms(openDatabase, () => '@mira @quill @pip go on')
    const id = await opened.room(['mira', 'quill', 'pip'], { room: { hopLimit: 20, maxReplies: 7 } })
    await opened.say(id, 'begin')
    expect(opened.calls.length).toBeLessThanOrEqual(7)
    expect((await opened.rounds(id)).at(-1)!.routing.stopped).toBe('max_replies')
  })
})

describe('policies of a room', () => {
  it.each([
    ['silent', [[], []]],
    ['moderator', [['quill'], ['quill']]],
    ['round-robin', [['mira'], ['quill']]],
    [
      'all',
      [
        ['mira', 'quill'],
        ['mira', 'quill'],
      ],
    ],
  ] as const)('%s decides who answers when nobody is mentioned', async (policy, expected) => {
    await using opened = await openRooms(sqliteDatabase, ({ agent }) => agent)
    const id = await opened.room(['mira', 'quill'], { room: { policy, moderator: 'quill' } })
    for (const who of expected) {
      opened.calls.length = 0
      expect((await opened.say(id, 'hello')).run.status).toBe('completed')
      expect(opened.calls.map(({ agent }) => agent).sort()).toEqual([...who])
      expect((await opened.rounds(id)).at(-1)!.routing).toMatchObject({ policy })
    }
    await opened.say(id, '@mira you')
    expect(opened.calls.at(-1)!.agent).toBe('mira')
  })

  it('knows no moderator who is not in the room', async () => {
    await using opened = await openRooms(sqliteDatabase, ({ agent }) => agent)
    const room = { policy: 'moderator', moderator: 'pip' } as const
    const refusal = { code: 'invalid_request', message: expect.stringContaining('room.moderator: "pip"') }
    await expect(opened.room(['mira', 'quill'], { room })).rejects.toMatchObject(refusal)
    const id = await opened.room(['mira', 'quill'])
    await expect(opened.parley.sessions.update(id, { room })).rejects.toMatchObject(refusal)
    await opened.parley.sessions.update(id, { agents: ['mira', 'pip'], room })
    expect((await opened.parley.sessions.get(id)).room).toEqual(room)
  })
})

describe('the mode of a room', () => {
  it('begins anew when it is set, and agents forget what only they were told', async () => {
    await using opened = await openRooms(sqliteDatabase, ({ agent, request }) =>
      request.replyFormat ? chooseFrom(request.replyFormat.schema, lehmer(7)) : `I am ${agent}.`,
    )
    const agents = ['mira', 'quill', 'pip', 'coder', 'reviewer']
    const id = await opened.room(agents, {
      mode: 'werewolf',
      modeState: { seed: 3 },
      room: { maxReplies: 1_000 },
    })
    await opened.say(id, 'begin')
    expect((await opened.parley.sessions.get(id)).modeState).toMatchObject({ phase: 'ended' })
    const seats = await opened.parley.store.listSeats(id)
    await opened.setMode(id, { mode: 'free_chat' })
    expect(await opened.parley.sessions.get(id)).toMatchObject({ mode: 'free_chat', modeState: {} })
    for (const { sessionId } of seats)
      expect(await opened.parley.store.getSession('default', sessionId)).toBeUndefined()
    opened.calls.length = 0
    await opened.say(id, '@mira hello')
    expect(opened.calls[0]!.request.system).not.toContain('wolf')
    await expect(opened.setMode(id, { mode: 'chess' })).rejects.toThrow('free_chat, workflow, werewolf, quiz')
    await expect(opened.setMode(id, { mode: 'werewolf', modeState: { roles: 'many' } })).rejects.toThrow(
      'modeState',
    )
    expect((await opened.parley.sessions.get(id)).mode).toBe('free_chat')
  })

  it('makes a session a room, with the agents that come with Parley', async () => {
    await using opened = await openRooms(sqliteDatabase, ({ agent }) => agent)
    const { id } = await opened.parley.sessions.create()
    await opened.say(id, 'alone')
    await opened.setMode(id, { mode: 'free_chat' })
    await opened.say(id, 'together')
    expect((await opened.log(id)).slice(2)).toEqual([
      'operator: together',
      'mira: mira',
      'quill: quill',
      'pip: pip',
    ])
    // who comes in hears what was said before
    expect(opened.calls.at(-1)!.told).toContain('alone')
  })

  it('refuses rooms that cannot be', async () => {
    await using opened = await openRooms(sqliteDatabase, ({ agent }) => agent)
    await expect(opened.room(['nobody'])).rejects.toThrow('nobody')
    await expect(opened.room(['mira', 'quill'], { mode: 'werewolf' })).rejects.toThrow('5')
    await expect(opened.room([])).rejects.toThrow('agents')
    await expect(opened.room(['mira', 'mira'])).rejects.toThrow('once')
    expect((await opened.parley.sessions.list()).items).toEqual([])
  })
})

describe('a workflow in a room', () => {
  const work = ({ agent, request }: AgentCall, verdicts: object[] = []) => {
    if (!request.replyFormat) return `${agent} has done it.`
    return agent === 'tester' ? tests : (verdicts.shift() ?? approves)
  }

  it('goes from plan to tests, and waits for a yes in between', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'a.test.mjs'), "import test from 'node:test'; test('works', () => {})\n")
    await using opened = await openRooms(sqliteDatabase, (call) => work(call), {
      scopes: { default: { root: folder.path } },
    })
    const { id } = await opened.parley.sessions.create({ mode: 'workflow' })
    await opened.say(id, 'Write a test.')
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['coder', 'reviewer', 'tester'])
    const waiting = await opened.read(id)
    expect(waiting.asks).toMatchObject([{ human: 'operator' }])
    opened.calls.length = 0
    // a side question is answered, and nothing moves
    await opened.say(id, '@reviewer are you sure?')
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['reviewer'])
    expect((await opened.read(id)).state).toEqual(waiting.state)
    opened.calls.length = 0
    await opened.advance(id, { action: { approved: true } })
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['coder', 'reviewer', 'tester'])
    expect((await opened.read(id)).state).toMatchObject({ finished: true, lastOutcome: 'approved' })
  })

  it('sends the coder back with what must be fixed, and with tests that failed, three times at most', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'test'))
    writeFileSync(
      join(folder.path, 'a.test.mjs'),
      "import test from 'node:test'; test('breaks', () => { throw new Error('broken pipe') })\n",
    )
    const refuses = { ...approves, decision: 'changes_requested', must_fix: ['P1: the pipe leaks'] }
    const verdicts: object[] = [refuses]
    await using opened = await openRooms(sqliteDatabase, (call) => work(call, verdicts), {
      scopes: { default: { root: folder.path } },
    })
    const { id } = await opened.parley.sessions.create({ mode: 'workflow', modeState: { confirm: false } })
    await opened.say(id, 'Mend the pipe.')
    const coder = opened.calls.filter(({ agent }) => agent === 'coder')
    expect(coder[1]!.told).toContain('the pipe leaks')
    expect(coder[2]!.told).toContain('broken pipe')
    expect((await opened.read(id)).state).toMatchObject({
      finished: true,
      lastOutcome: expect.stringMatching(/max_iterations_reached|repeated_test_failure/) as string,
    })
  })

  it('lets nobody change files who is to look only', async () => {
    using folder = temporaryFolder()
    await using opened = await openRooms(
      sqliteDatabase,
      ({ agent, request }) =>
        agent === 'reviewer' && request.messages.at(-1)!.role !== 'tool'
          ? callsTool('file', { action: 'write', path: 'x.txt', content: 'x' })
          : 'done',
      { scopes: { default: { root: folder.path } } },
    )
    const id = await opened.room(['reviewer'], { permissionMode: 'bypassPermissions' })
    await opened.say(id, 'write')
    expect(opened.calls.at(-1)!.told).toContain('plan')
  })
})

describe('a quiz', () => {
  it.each([
    ['Rome', 1],
    ['I think the answer is Rome.', 1],
    ['{"answer": "rome"}', 1],
    ['Oslo', 0],
  ])('takes a plain answer for one: %j has %d points', async (words, points) => {
    await using opened = await openRooms(sqliteDatabase, ({ request }) =>
      JSON.stringify(request.replyFormat?.schema).includes('"question"')
        ? { question: 'Capital of Italy?', kind: 'fill_in', answer: 'Rome' }
        : words,
    )
    const id = await opened.room(['mira', 'quill'], { mode: 'quiz', modeState: { rounds: 1 } })
    await opened.say(id, 'begin')
    expect(opened.calls).toHaveLength(2)
    const { scores, questioner } = (await opened.read(id)).state as {
      scores: Record<string, number>
      questioner: string
    }
    expect(scores).toEqual({ mira: points, quill: points, [questioner]: 0 })
  })
})

describe('a person who plays', () => {
  const agents = ['mira', 'quill', 'pip', 'coder', 'reviewer']
  const script = ({ request }: AgentCall) =>
    request.replyFormat
      ? { ...chooseFrom(request.replyFormat.schema, lehmer(5)), say: 'SECRET' }
      : 'I say nothing.'

  it('is not heard when dead, before the game is over', async () => {
    await using opened = await openRooms(sqliteDatabase, ({ request }) => {
      const schema = request.replyFormat?.schema
      if (!schema) return 'I say nothing.'
      const { properties } = schema as { properties: Record<string, { enum?: string[] }> }
      const wanted = (choices: string[] = []) =>
        choices.find((choice) => choice === 'anna' || choice === 'nothing' || choice === 'abstain') ??
        choices[0]
      const chosen = Object.entries(properties).filter(([, { enum: choices }]) => choices)
      return Object.fromEntries(chosen.map(([field, { enum: choices }]) => [field, wanted(choices)]))
    })
    const humans = [{ name: 'anna', plays: true }, { name: 'operator' }]
    const begin = (seed: number) =>
      opened.room(agents, { mode: 'werewolf', modeState: { seed }, room: { maxReplies: 5, humans } })
    const isVillager = async (id: string) =>
      JSON.stringify((await opened.read(id, 'anna')).player).includes('villager')
    let id = ''
    for (let seed = 1; id === ''; seed++) {
      const room = await begin(seed)
      await opened.say(room, 'begin', 'operator')
      if (await isVillager(room)) id = room
    }
    const stands = async () =>
      (await opened.parley.sessions.get(id)).modeState as { alive: string[]; phase: string }
    while ((await stands()).alive.includes('anna')) await opened.advance(id, { from: 'operator' })
    expect(await stands()).toMatchObject({ phase: expect.stringMatching(/^day/) as string, silent: ['anna'] })
    const before = await opened.log(id)
    await expect(opened.say(id, 'Mira did it!', 'anna')).rejects.toMatchObject({ code: 'conflict' })
    // nor as something that was said elsewhere; without a name it is the first who speaks
    for (const metadata of [{ from: 'anna' }, undefined])
      await expect(
        opened.parley.sessions.append(id, { role: 'user', content: 'Mira did it!', metadata }),
      ).rejects.toMatchObject({ code: 'conflict' })
    expect(await opened.log(id)).toEqual(before)
    await opened.say(id, 'Go on', 'operator')
    expect(opened.calls.at(-1)!.prompt).not.toContain('did it')
  })

  it('sees what the rules allow until the game is over, and everything after', async () => {
    await using opened = await openRooms(sqliteDatabase, script)
    const id = await opened.room(agents, {
      mode: 'werewolf',
      modeState: { seed: 11 },
      room: { maxReplies: 1_000, humans: [{ name: 'anna', plays: true }, { name: 'operator' }] },
    })
    const chunks: string[] = []
    for await (const { chunk } of opened.say(id, 'begin', 'operator')) chunks.push(JSON.stringify(chunk))
    let room = await opened.read(id, 'anna')
    expect(room.sealed).toBe(true)
    expect(room.player?.facts.length).toBeGreaterThan(0)
    expect(room.state).not.toHaveProperty('roles')
    // what goes on at night is told to nobody
    for (const round of await opened.rounds(id)) expect(round.turns.some((turn) => turn.private)).toBe(false)
    for (let step = 0; step < 60 && room.sealed; step++) {
      const ask = room.asks.find(({ human }) => human === 'anna')
      if (ask?.schema)
        await opened.advance(id, { from: 'anna', action: chooseFrom(ask.schema, lehmer(step + 1)) })
      else if (ask) await opened.say(id, 'I am innocent.', 'anna')
      else await opened.advance(id, { from: 'operator' })
      room = await opened.read(id, 'anna')
    }
    expect(room.state).toMatchObject({ phase: 'ended', roles: { anna: expect.any(String) as string } })
    expect(chunks.join('\n')).not.toContain('SECRET')
    expect((await opened.rounds(id)).some(({ turns }) => turns.some((turn) => turn.private))).toBe(true)
  })
})
