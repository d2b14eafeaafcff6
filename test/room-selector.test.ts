import { describe, expect, it } from 'vitest'
import type { RoomSettings } from '../src/extensions/room/protocol/room.ts'
import { anyDatabase } from './harness.ts'
import { openRooms, type AgentCall } from './room-harness.ts'

/** Picks these, one after another, and then a person. */
function picks(...names: (string | object)[]) {
  const asked: AgentCall[] = []
  return {
    asked,
    script(call: AgentCall) {
      if (!isSelector(call)) return `I am ${call.agent}.`
      asked.push(call)
      const pick = names.shift() ?? 'operator'
      return typeof pick === 'string' ? { next: pick } : pick
    },
  }
}

const isSelector = ({ request }: AgentCall) => request.replyFormat !== undefined
const speakers = ({ calls }: { calls: AgentCall[] }) =>
  calls.filter((call) => !isSelector(call)).map(({ agent }) => agent)
const led = (selector: RoomSettings['selector'] = {}): { room: RoomSettings } => ({
  room: { policy: 'selector', selector },
})

describe.each(anyDatabase)('a selector on %s', (_name, openDatabase) => {
  it('picks who speaks, one after another, until it leaves it to people', async () => {
    const { script, asked } = picks('quill', 'mira')
    await using opened = await openRooms(openDatabase, script)
    const id = await opened.room(['mira', 'quill', 'pip'], led({ instructions: 'Quill first.' }))
    const answer = await opened.say(id, 'hello')
    expect(answer.run.status).toBe('completed')
    expect(await opened.log(id)).toEqual(['operator: hello', 'quill: I am quill.', 'mira: I am mira.'])
    expect(asked).toHaveLength(3)
    expect(asked[0]!.prompt).toContain('Quill first.')
    expect(asked[1]!.told).toContain('I am quill.')
    const [pick, speaks] = await opened.rounds(id)
    expect(pick).toMatchObject({
      routing: { reason: 'policy', policy: 'selector' },
      turns: [{ agent: 'room', private: true, text: '{"next":"quill"}', status: 'said' }],
    })
    expect(speaks!.routing.text).toBe('Picked to speak: Quill.')
    expect((answer.usage as { outputTokens: number }).outputTokens).toBe(25)
  })

  it('is offered those alone who may follow, and no more turns than there may be', async () => {
    const { script, asked } = picks('mira', 'quill', 'mira', 'quill', 'mira', 'quill')
    await using opened = await openRooms(openDatabase, script)
    const transitions = { mira: ['quill', 'pip'], quill: ['mira'] }
    const id = await opened.room(
      ['mira', 'quill', 'pip'],
      led({ transitions, start: ['mira', 'pip'], maxTurns: 4 }),
    )
    await opened.say(id, 'hello')
    const offered = asked.map(({ request }) => JSON.stringify(request.replyFormat!.schema))
    expect(offered[0]).toContain('"enum":["mira","pip"]')
    expect(offered[1]).toContain('"enum":["quill","pip","operator"]')
    expect(offered[2]).toContain('"enum":["mira","operator"]')
    expect(speakers(opened)).toEqual(['mira', 'quill', 'mira', 'quill'])
    expect((await opened.rounds(id)).at(-1)!.routing).toMatchObject({
      reason: 'nobody',
      stopped: 'max_turns',
    })
  })

  it('is asked again once, and then it is the turn of the next one who may follow', async () => {
    const { script, asked } = picks('quill', 'quill', 'nobody you know')
    await using opened = await openRooms(openDatabase, script)
    const id = await opened.room(
      ['mira', 'quill', 'pip'],
      led({ transitions: { quill: ['mira', 'pip'] }, maxTurns: 2 }),
    )
    const answer = await opened.say(id, 'hello')
    expect(answer.run.status).toBe('completed')
    expect(asked).toHaveLength(3)
    expect(asked[2]!.told).toContain('Your answer was not taken.')
    expect(speakers(opened)).toEqual(['quill', 'pip'])
    expect((await opened.rounds(id))[3]!.routing.text).toBe(
      'Nobody who may speak was picked, so it is the turn of Pip.',
    )
  })

  it('passes over muted agents, asks nobody where one alone may begin, and ends where nobody may follow', async () => {
    const { script, asked } = picks('pip')
    await using opened = await openRooms(openDatabase, script)
    const id = await opened.room(['mira', 'quill', 'pip'], {
      room: {
        policy: 'selector',
        muted: ['quill'],
        selector: { transitions: { pip: ['quill'] }, start: ['mira'] },
      },
    })
    await opened.say(id, 'hello')
    expect(speakers(opened)).toEqual(['mira', 'pip'])
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked[0]!.request.replyFormat!.schema)).not.toContain('quill')
  })

  it('leaves those who are mentioned alone', async () => {
    const { script, asked } = picks()
    await using opened = await openRooms(openDatabase, script)
    const id = await opened.room(['mira', 'quill'], led())
    await opened.say(id, '@quill hello')
    expect(speakers(opened)).toEqual(['quill'])
    expect(asked).toEqual([])
  })

  it('counts in the budget of the room', async () => {
    const { script } = picks('mira')
    await using opened = await openRooms(openDatabase, script)
    const id = await opened.room(['mira', 'quill'], {
      room: { policy: 'selector', budget: { tokens: 1 } },
    })
    await opened.say(id, 'hello')
    expect(speakers(opened)).toEqual([])
    expect((await opened.rounds(id)).at(-1)!.routing.stopped).toBe('budget')
  })

  it('is refused when it names somebody who is not there, or a model that nobody knows', async () => {
    await using opened = await openRooms(openDatabase, picks().script)
    const make = (selector: RoomSettings['selector']) => opened.room(['mira', 'quill'], led(selector))
    await expect(make({ transitions: { pip: ['mira'] } })).rejects.toThrow(
      'room.selector.transitions: "pip" is not one of the agents of the room.',
    )
    await expect(make({ transitions: { mira: ['pip'] } })).rejects.toThrow('room.selector.transitions: "pip"')
    await expect(make({ start: ['pip'] })).rejects.toThrow('room.selector.start: "pip"')
    await expect(make({ model: 'nobody/knows' })).rejects.toThrow('nobody/knows')
    const id = await make({})
    await expect(
      opened.parley.sessions.update(id, { room: { policy: 'selector', selector: { start: ['pip'] } } }),
    ).rejects.toThrow('room.selector.start: "pip"')
    expect((await opened.parley.sessions.get(id)).room).toEqual(led().room)
  })
})
