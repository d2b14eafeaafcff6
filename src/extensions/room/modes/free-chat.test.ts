import { describe, expect, it } from 'vitest'
import { replySkip, type Human } from '../protocol/room.ts'
import { freeChat } from './free-chat.ts'
import type { Answer, Decision, RoomFacts } from './mode.ts'
import { builtInModes as modes } from './registry.ts'

const humans: Human[] = [{ name: 'operator' }]
const toRoom = (settings: Partial<RoomFacts['settings']> = {}): RoomFacts => ({
  agents: ['milk', 'coffee', 'billy', 'constructor'].map((name) => ({ name, source: 'stored' as const })),
  humans,
  settings: {
    policy: 'all',
    hopLimit: 3,
    coolDown: 1,
    maxReplies: 50,
    language: 'en',
    roleMap: {},
    ...settings,
  },
})
const input = (mentions: string[] = [], people: string[] = []) => ({
  from: 'operator',
  text: 'x',
  cleanText: 'x',
  mentions,
  people,
})
const said = (agent: string, mentions: string[] = []): Answer => ({
  agent,
  status: 'said',
  text: 'x',
  mentions,
})

type State = Parameters<typeof freeChat.onInput>[1]
const begin = (room: RoomFacts): State => freeChat.begin(room, {}, 1)
const askedIn = ({ asks }: Decision<State>) => asks.map(({ agent }) => agent)

/** Plays a run in which each agent answers as given; answers all decisions. */
function play(room: RoomFacts, mentions: string[], answer: (agent: string) => Answer): Decision<State>[] {
  const decisions = [freeChat.onInput(room, begin(room), input(mentions))]
  let answers = 0
  while (decisions.at(-1)!.asks.length > 0) {
    const { state, asks } = decisions.at(-1)!
    answers += asks.length
    const stored = freeChat.state.parse(JSON.parse(JSON.stringify(state)))
    const run = { rounds: decisions.length, answers }
    decisions.push(
      freeChat.onAnswers(
        room,
        stored,
        asks.map(({ agent }) => answer(agent)),
        run,
      ),
    )
  }
  return decisions
}

it('is the mode of rooms that name none', () => {
  expect(modes[0]).toBe(freeChat)
})

describe('an input', () => {
  it('asks those who are mentioned, or whom the policy names', () => {
    expect(askedIn(freeChat.onInput(toRoom(), begin(toRoom()), input(['billy', 'milk'])))).toEqual([
      'billy',
      'milk',
    ])
    expect(askedIn(freeChat.onInput(toRoom(), begin(toRoom()), input()))).toHaveLength(4)
    expect(freeChat.onInput(toRoom(), begin(toRoom()), input([], ['operator']))).toMatchObject({
      asks: [],
      routing: { reason: 'nobody', text: 'Said to operator: agents are not asked.' },
    })
    const silent = toRoom({ policy: 'silent' })
    expect(freeChat.onInput(silent, begin(silent), input())).toMatchObject({
      asks: [],
      routing: { reason: 'nobody' },
    })
  })

  it('goes round by the state', () => {
    const room = toRoom({ policy: 'round-robin' })
    let state = begin(room)
    const heard = Array.from({ length: 5 }, () => {
      const decision = freeChat.onInput(room, state, input())
      state = decision.state
      return askedIn(decision)[0]
    })
    expect(heard).toEqual(['milk', 'coffee', 'billy', 'constructor', 'milk'])
    expect(freeChat.view(room, state)).toEqual({ next: 'coffee' })
    expect(freeChat.view(toRoom(), state)).toEqual({})
  })

  it('tells who leads that it does, unless it was mentioned', () => {
    const room = toRoom({ policy: 'moderator', moderator: 'coffee' })
    const [ask] = freeChat.onInput(room, begin(room), input()).asks
    expect(ask).toEqual({ agent: 'coffee', task: expect.stringContaining('You lead') })
    expect(freeChat.onInput(room, begin(room), input(['coffee'])).asks).toEqual([{ agent: 'coffee' }])
  })

  it('gets no more answers than the room allows', () => {
    const { asks, routing } = freeChat.onInput(toRoom({ maxReplies: 3 }), begin(toRoom()), input())
    expect(asks).toHaveLength(3)
    expect(routing.left).toEqual([{ agent: 'constructor', reason: 'One input gets 3 answers at most.' }])
  })
})

describe('answers', () => {
  it('are published in the order of the asks; silence is not, a failure is', () => {
    const status = { milk: 'said', coffee: 'skipped', billy: 'failed', constructor: 'stopped' } as Record<
      string,
      Answer['status']
    >
    const [, end] = play(toRoom(), [], (agent) => ({
      ...said(agent, ['milk']),
      status: status[agent]!,
    }))
    expect(end!.statements).toEqual([
      { answerOf: 'milk' },
      { answerOf: 'billy' },
      { answerOf: 'constructor' },
    ])
    expect(end!.routing).toEqual({ reason: 'nobody', text: 'No agent called another one.', mentions: [] })
  })

  it('end the run when nobody spoke', () => {
    const [, end] = play(toRoom(), [], (agent) => ({ ...said(agent), status: 'skipped' }))
    expect(end).toMatchObject({ statements: [], asks: [], routing: { text: 'Nobody had anything to say.' } })
  })

  it('call those whom they mention, each once and never the speaker', () => {
    const calls = new Map([
      ['milk', ['milk', 'billy', 'gone']],
      ['coffee', ['billy', 'constructor']],
    ])
    const [, next] = play(toRoom(), ['milk', 'coffee'], (agent) => said(agent, calls.get(agent)))
    expect(next).toMatchObject({
      asks: [{ agent: 'billy' }, { agent: 'constructor' }],
      routing: {
        reason: 'agent_mention',
        text: 'milk, coffee called billy, constructor.',
        mentions: ['billy', 'constructor'],
      },
    })
  })
})

describe('a chain of calls', () => {
  const other: Record<string, string> = { milk: 'coffee', coffee: 'milk' }
  const pingPong = (agent: string) => said(agent, [other[agent]!])

  it('of two that always mention each other stops at the hop limit, and says so', () => {
    const decisions = play(toRoom(), ['milk'], pingPong)
    expect(decisions.map(askedIn)).toEqual([['milk'], ['coffee'], ['milk'], ['coffee'], []])
    const text = 'Agents called one another 3 times in a row, which is the limit.'
    expect(decisions.at(-1)!.routing).toEqual({
      reason: 'nobody',
      text,
      mentions: ['milk'],
      left: [{ agent: 'milk', reason: text }],
      stopped: 'hop_limit',
    })
  })

  it('stops at the limit also where nobody has to rest', () => {
    const decisions = play(toRoom({ coolDown: 0 }), ['milk', 'coffee'], pingPong)
    expect(decisions.map(({ asks }) => asks.length)).toEqual([2, 2, 2, 2, 0])
    expect(decisions.at(-1)!.routing.stopped).toBe('hop_limit')
  })

  it('does not begin where the limit is zero', () => {
    const [, end] = play(toRoom({ hopLimit: 0 }), ['milk'], pingPong)
    expect(end!.routing).toMatchObject({
      stopped: 'hop_limit',
      text: 'Agents of this room do not call one another.',
    })
  })

  it('lets those rest who spoke just now', () => {
    const [, end] = play(toRoom(), ['milk', 'coffee'], pingPong)
    expect(end!.routing).toMatchObject({
      reason: 'nobody',
      stopped: 'cool_down',
      left: [
        { agent: 'coffee', reason: 'Spoke just now, and rests.' },
        { agent: 'milk', reason: 'Spoke just now, and rests.' },
      ],
    })
    const calls: Record<string, string[]> = { milk: ['coffee', 'billy'], coffee: [], billy: [] }
    const [, next] = play(toRoom(), ['milk', 'coffee'], (agent) => said(agent, calls[agent]))
    expect(askedIn(next!)).toEqual(['billy'])
    expect(next!.routing.left).toEqual([{ agent: 'coffee', reason: 'Spoke just now, and rests.' }])
  })

  it('lets them rest for as many rounds as the room says', () => {
    const ring: Record<string, string> = { milk: 'coffee', coffee: 'billy', billy: 'milk' }
    const around = (agent: string) => said(agent, [ring[agent]!])
    const hopLimit = 10
    expect(play(toRoom({ hopLimit, coolDown: 2 }), ['milk'], around)).toHaveLength(12)
    const tired = play(toRoom({ hopLimit, coolDown: 3 }), ['milk'], around)
    expect(tired.map(askedIn)).toEqual([['milk'], ['coffee'], ['billy'], []])
    expect(tired.at(-1)!.routing.stopped).toBe('cool_down')
  })

  it('ends with the answers that one input may get', () => {
    const callAll = (agent: string) => said(agent, ['milk', 'coffee', 'billy', 'constructor'])
    const decisions = play(toRoom({ coolDown: 0, maxReplies: 3, hopLimit: 9 }), ['milk'], callAll)
    expect(decisions.map(askedIn)).toEqual([['milk'], ['coffee', 'billy'], []])
    expect(decisions[1]!.routing.left).toEqual([
      { agent: 'constructor', reason: 'One input gets 3 answers at most.' },
    ])
    expect(decisions[2]!.routing).toMatchObject({ stopped: 'max_replies', reason: 'nobody' })
  })

  it('begins anew with each run, also one that nobody spoke to', () => {
    const room = toRoom()
    const tired: State = { next: 2, hops: 3, lastSpoke: { milk: 3, coffee: 3 } }
    expect(freeChat.onInput(room, tired, input(['milk'])).state).toEqual({ next: 2, hops: 0, lastSpoke: {} })
    const woken = freeChat.onAnswers(room, tired, [said('milk', ['coffee'])], { rounds: 1, answers: 1 })
    expect(askedIn(woken)).toEqual(['coffee'])
  })

  it('says why in Chinese in a Chinese room', () => {
    const decisions = play(toRoom({ language: 'zh' }), ['milk'], pingPong)
    expect(decisions[1]!.routing.text).toBe('milk 叫了 coffee。')
    expect(decisions.at(-1)!.routing.text).toContain('3 次')
  })
})

it('tells agents how to stay silent, the same text for all', () => {
  const room = toRoom()
  const [one, two] = room.agents
  expect(freeChat.rules(room, one!)).toContain(replySkip)
  expect(freeChat.rules(room, one!)).toBe(freeChat.rules(room, two!))
})
