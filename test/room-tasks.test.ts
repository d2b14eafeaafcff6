import { describe, expect, it } from 'vitest'
import { anyDatabase } from './harness.ts'
import { callsTool, openRooms } from './room-harness.ts'

describe.each(anyDatabase)('agents of a room that work with tools on %s', (_name, openDatabase) => {
  it('tell the room when a task of theirs comes back', async () => {
    await using opened = await openRooms(openDatabase, ({ agent, request, told }) => {
      if (agent === 'nobody') return callsTool('set_result', { output: 'forty-two' })
      if (told.includes('forty-two')) return 'It is forty-two.'
      return request.messages.at(-1)!.role === 'tool'
        ? 'I look it up.'
        : callsTool('spawn_task', { task: 'look' })
    })
    const id = await opened.room(['mira', 'quill'])
    await opened.say(id, '@mira how much?')
    await expect
      .poll(() => opened.log(id))
      .toEqual(['operator: @mira how much?', 'mira: I look it up.', 'mira: It is forty-two.'])
    const rounds = await opened.rounds(id)
    expect(rounds.map(({ routing }) => routing.reason)).toEqual(['mention', 'wake'])
    await expect.poll(async () => (await opened.parley.sessions.get(id)).chatStatus).toBe('idle')
  })

  it('may use what the room and they themselves allow, and nothing else', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => agent)
    const agents = [
      await opened.agent('anna'),
      await opened.agent('ben', { tools: ['recall', 'file'] }),
      await opened.agent('carl', { tools: ['file'] }),
      await opened.agent('dora', { tools: [] }),
    ]
    const id = await opened.room(agents, { allowedTools: ['recall', 'todo'] })
    await opened.say(id, 'hello')
    const toolsOf = (name: string) =>
      opened.calls.find(({ agent }) => agent === name)!.request.tools.map((tool) => tool.name)
    expect(toolsOf('anna')).toEqual(['recall', 'todo'])
    expect(toolsOf('ben')).toEqual(['recall'])
    expect(toolsOf('carl')).toEqual([])
    expect(toolsOf('dora')).toEqual([])
    // it counts from the next turn on
    await opened.parley.sessions.update(id, { allowedTools: ['todo'] })
    opened.calls.length = 0
    await opened.say(id, '@anna @ben and now?')
    expect(toolsOf('anna')).toEqual(['todo'])
    expect(toolsOf('ben')).toEqual([])
  })

  it('stop when the budget of the answers to one input is used up', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) =>
      agent === 'mira' ? 'ask @quill' : 'ask @mira',
    )
    const id = await opened.room(['mira', 'quill'], { room: { budget: { tokens: 1 }, hopLimit: 5 } })
    const { run } = await opened.say(id, '@mira go')
    expect(run).toMatchObject({ status: 'failed', outcome: { code: 'budget_exhausted' } })
    expect(opened.calls).toHaveLength(0)
    expect(await opened.rounds(id)).toMatchObject([{ routing: { reason: 'mention', stopped: 'budget' } }])
    await opened.parley.sessions.update(id, { room: { budget: { tokens: 100_000 } } })
    expect((await opened.advance(id)).run.status).toBe('completed')
    expect((await opened.rounds(id))[1]!.routing).not.toHaveProperty('stopped')
    expect((await opened.say(id, '@mira go')).run.status).toBe('completed')
  })

  it('count the tools that a call is sent with', async () => {
    await using opened = await openRooms(openDatabase, () => 'ok')
    await opened.agent('bare', { tools: [] })
    await opened.agent('equipped')
    const id = await opened.room(['bare', 'equipped'], { room: { budget: { tokens: 2_000 } } })
    expect((await opened.say(id, '@bare go')).run.status).toBe('completed')
    const { run } = await opened.say(id, '@equipped go')
    expect(run).toMatchObject({ status: 'failed', outcome: { code: 'budget_exhausted' } })
    expect(opened.calls.map(({ agent }) => agent)).toEqual(['bare'])
  })

  it('have what they changed undone with the room', async () => {
    await using opened = await openRooms(openDatabase, ({ request }) =>
      request.messages.at(-1)!.role === 'tool'
        ? 'Done.'
        : callsTool('document', { action: 'create', title: 'Notes', content: 'one' }),
    )
    const id = await opened.room(['mira'], { permissionMode: 'bypassPermissions' })
    await opened.say(id, 'take a note')
    const titles = async () => (await opened.parley.documents.list()).items.map(({ title }) => title)
    expect(await titles()).toEqual(['Notes'])
    const { items } = await opened.parley.sessions.checkpoints(id)
    await opened.parley.sessions.rollback(id, { checkpointId: items[0]!.id })
    expect(await titles()).toEqual([])
    expect(await opened.log(id)).toEqual([])
  })
})

describe.each(anyDatabase)('results that are sent to a room itself on %s', (_name, openDatabase) => {
  it('are told to its agents, once', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) =>
      agent === 'nobody' ? callsTool('set_result', { output: 'forty-two' }) : `${agent} has heard it.`,
    )
    const id = await opened.room(['mira', 'quill'])
    const { background } = opened.parley
    await background.trigger(
      'default',
      { prompt: 'count' },
      { triggerType: 'api', announceTarget: id },
      { wake: true },
    )
    await expect
      .poll(() => opened.log(id))
      .toMatchObject([
        expect.stringMatching(/^tasks: .*forty-two/s) as string,
        'mira: mira has heard it.',
        'quill: quill has heard it.',
      ])
    expect(await opened.parley.store.listInbox(id)).toEqual([])
  })
})
