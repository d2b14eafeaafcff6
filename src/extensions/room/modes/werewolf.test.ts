import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answer, decided, freeze, host, play, roomOf, says } from '../../../../test/room/play.ts'
import { chooseFrom, lehmer, someNames, wildPlayers } from '../../../../test/room/scripted-players.ts'
import {
  askedAmongTheDead,
  leaks,
  miscounted,
  winnerByTheRules,
} from '../../../../test/room/werewolf-referee.ts'
import { as, seedsFrom, sit, until } from '../../../../test/room/werewolf-table.ts'
import type { Ask, Mode } from './mode.ts'
import { werewolf } from './werewolf.ts'
import type { Role, WerewolfState } from './werewolf/state.ts'

/** A game of every kind: sizes, languages, options, with people and without, paused now and then. */
function simulate(seed: number, mode: Mode<WerewolfState> = werewolf) {
  const people = seed % 4 === 0 ? 1 + (seed % 3) : 0
  const room = roomOf(
    someNames.slice(0, 5 + (seed % 8) - people),
    ['ursula', 'victor', 'wanda'].slice(0, people),
    {
      language: seed % 2 ? 'en' : 'zh',
      maxReplies: seed % 5 ? 1_000 : 1 + (seed % 7),
    },
  )
  const options = {
    revote: seed % 3 !== 0,
    revealOnDeath: seed % 7 !== 0,
    discussion: seed % 6 < 3 ? 'parallel' : 'in_order',
    discussionRounds: 1 + (seed % 3),
    wolfChatRounds: seed % 4,
  }
  return { room, ...play(mode, room, options, seed, wildPlayers(seed)) }
}

describe('200 games of players who do anything', () => {
  it.each([1, 41, 81, 121, 161])(
    'end, are won by the rules, and tell nobody what they may not know (seeds from %i)',
    (first) => {
      for (const seed of seedsFrom(first, 40)) {
        const game = simulate(seed)
        expect(game.view['winner'], `seed ${seed}`).toBe(winnerByTheRules(game.view))
        expect(miscounted(game.view), `seed ${seed}`).toEqual([])
        expect(askedAmongTheDead(game), `seed ${seed}`).toEqual([])
        expect(leaks(game), `seed ${seed}`).toEqual([])
      }
    },
  )

  it('are won by either side', () => {
    const winners = new Set(seedsFrom(1, 40).map((seed) => simulate(seed).view['winner']))
    expect(winners).toEqual(new Set(['village', 'wolves']))
  })

  it('ask each player in the same words, whatever it may not know', () => {
    const compared = seedsFrom(1, 30).map((seed) => differences(seed, werewolf))
    expect(compared.flatMap(({ found }) => found)).toEqual([])
    expect(compared.reduce((sum, { asks }) => sum + asks, 0)).toBeGreaterThan(2_000)
  })
})

/** Where a player could distinguish the game from one in which others have other secrets. */
function differences(seed: number, mode: Mode<WerewolfState>) {
  const { room, rounds } = simulate(seed, mode)
  const asked = rounds.flatMap(({ state, asks }) => asks.map((ask) => ({ state, ask })))
  const found = asked.filter(({ state, ask }) => {
    const other = withOtherSecrets(state, ask.agent)
    const again = mode.onAdvance!(room, other, { from: host })
    const told = (now: WerewolfState, each: Ask | undefined) =>
      JSON.stringify([each, mode.describe(room, now), mode.view(room, now)])
    return (
      told(state, ask) !==
      told(
        other,
        again.asks.find(({ agent }) => agent === ask.agent),
      )
    )
  })
  return { asks: asked.length, found }
}

/** The same game as far as a player can know: others are what they are not, and did what they did not. */
function withOtherSecrets(state: WerewolfState, player: string): WerewolfState {
  const own = state.roles[player]
  const checked = own === 'seer' ? state.nights.map((night) => night.check?.target) : []
  const unknown = state.alive.filter(
    (each) => each !== player && !checked.includes(each) && (own !== 'wolf' || state.roles[each] !== 'wolf'),
  )
  // each takes the role of the next one
  const moved = unknown.map((each, index) => [each, state.roles[unknown[(index + 1) % unknown.length]!]!])
  const isWolf = own === 'wolf'
  const isWitch = own === 'witch'
  return {
    ...state,
    seed: state.seed + 1,
    roles: { ...state.roles, ...(Object.fromEntries(moved) as Record<string, Role>) },
    witch: isWitch ? state.witch : { antidote: !state.witch.antidote, poison: true },
    channel: isWolf ? state.channel : [{ round: 1, from: state.players[0]!, text: 'something else' }],
    nights: state.nights.map((night) => ({
      round: night.round,
      victim: isWitch ? night.victim : state.players[0],
      check: own === 'seer' ? night.check : { target: state.players[1]!, isWolf: true },
      isSaved: !night.isSaved,
      poisoned: state.players[2],
    })),
  }
}

describe('the referee', () => {
  const leaking: [string, Partial<Mode<WerewolfState>>][] = [
    [
      'a role in the standing',
      {
        describe: (_room, { players, roles }) =>
          `${players[0]}: ${roles[players[0]!] === 'wolf' ? '狼人' : 'villager'}`,
      },
    ],
    [
      'a wolf in the rules',
      { rules: (_room, agent) => `Beware: ${agent.name === 'bravo' ? 'delta' : 'bravo'} is a werewolf.` },
    ],
    [
      'what wolves said in a task',
      { onAnswers: withTask((state) => state.channel.map(({ text }) => text).join()) },
    ],
    ['what wolves said in the log', { onAnswers: withStatement((state) => state.channel.at(-1)?.text) }],
    [
      'a vote before all have voted',
      {
        describe: (_room, { phase, acts }) =>
          phase === 'day_vote' ? acts.map(({ text }) => text).join() : '',
      },
    ],
    [
      'a check in the log',
      {
        onAnswers: withStatement(
          ({ nights }) => nights.at(-1)?.check && `${nights.at(-1)!.check!.target}: no wolf`,
        ),
      },
    ],
  ]

  it.each(leaking)('notices %s', (_what, change) => {
    const found = seedsFrom(1, 20).flatMap((seed) => leaks(simulate(seed, { ...werewolf, ...change })))
    expect(found).not.toEqual([])
  })

  it('notices a player who could tell one secret from another', () => {
    const leaky: Mode<WerewolfState> = {
      ...werewolf,
      describe: (_room, { nights }) => `${nights.at(-1)?.victim} sleeps badly.`,
    }
    expect(differences(1, leaky).found).not.toEqual([])
  })

  function withTask(secret: (state: WerewolfState) => string): Mode<WerewolfState>['onAnswers'] {
    return (...given) => {
      const decision = werewolf.onAnswers(...given)
      return {
        ...decision,
        asks: decision.asks.map((ask) => ({ ...ask, task: `${ask.task}\n${secret(decision.state)}` })),
      }
    }
  }

  function withStatement(
    secret: (state: WerewolfState) => string | undefined,
  ): Mode<WerewolfState>['onAnswers'] {
    return (...given) => {
      const decision = werewolf.onAnswers(...given)
      const text = secret(decision.state)
      return { ...decision, statements: [...decision.statements, ...(text ? [{ text }] : [])] }
    }
  }

  it('notices who should not have won, and who should not be out', () => {
    const { view } = simulate(1)
    expect(winnerByTheRules({ ...view, dead: (view['dead'] as unknown[]).slice(0, -1) })).not.toBe(
      view['winner'],
    )
    const votes = [{ round: 1, ballots: [{ player: 'bravo', target: 'delta' }], out: 'golf' }]
    expect(miscounted({ votes })).toHaveLength(1)
  })
})

describe('the beginning', () => {
  it('deals roles by the seed alone', () => {
    const { room } = sit()
    const dealt = (seed: number) => werewolf.begin(room, { seed }, 1).roles
    expect(dealt(5)).toEqual(dealt(5))
    expect(werewolf.begin(room, {}, 5).roles).toEqual(dealt(5))
    expect(new Set(seedsFrom(1, 50).map((seed) => JSON.stringify(dealt(seed)))).size).toBeGreaterThan(20)
    const wolves = seedsFrom(1, 300).flatMap((seed) => as(werewolf.begin(room, { seed }, 1), 'wolf'))
    for (const name of someNames.slice(0, 6)) {
      const share = wolves.filter((wolf) => wolf === name).length / wolves.length
      expect(share).toBeGreaterThan(0.1)
    }
  })

  it.each([
    [5, 1],
    [6, 2],
    [9, 3],
    [12, 4],
  ])('of %i players has %i wolves, a seer and a witch', (agents, wolves) => {
    const { lobby } = sit({}, { agents })
    expect(as(lobby, 'wolf')).toHaveLength(wolves)
    expect(as(lobby, 'seer')).toHaveLength(1)
    expect(as(lobby, 'witch')).toHaveLength(1)
  })

  it('takes other roles when they fit', () => {
    const { lobby } = sit({ roles: { wolves: 1, seer: 0, witch: 0 } })
    expect(Object.values(lobby.roles).toSorted()).toEqual([
      'villager',
      'villager',
      'villager',
      'villager',
      'villager',
      'wolf',
    ])
    expect(() => sit({ roles: { wolves: 3 } })).toThrow(/3 wolves must be fewer than the others/)
  })

  it.each<[string, () => unknown, RegExp]>([
    ['four players', () => sit({}, { agents: 4 }), /at least 5 players, and there are 4/],
    ['options it does not know', () => sit({ moon: true }), /unknown .*moon/],
    ['too many rounds', () => sit({ maxRounds: 21 }), /maxRounds/],
    ['a player called like a choice', () => sit({}, { humans: ['Abstain'] }), /"Abstain"/],
    ['two players of one name', () => sit({}, { humans: ['Bravo'] }), /"Bravo"/],
  ])('refuses %s', (_what, begin, message) => {
    expect(begin).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) }),
    )
  })

  it('counts people who play', () => {
    expect(sit({}, { agents: 3, humans: ['ursula', 'victor'] }).lobby.players).toHaveLength(5)
  })

  it('waits for the first word, and tells nothing', () => {
    const { room, lobby, start } = sit()
    const view = werewolf.view(room, lobby)
    expect(view).toMatchObject({ phase: 'lobby', round: 0, alive: lobby.players })
    expect(Object.keys(view)).not.toEqual(expect.arrayContaining(['roles']))
    expect(view).not.toHaveProperty('seed')
    expect(start().state).toMatchObject({ phase: 'night_wolf', round: 1 })
    const begun = werewolf.onAdvance!(room, lobby, { from: host })
    expect(begun.state.phase).toBe('night_wolf')
  })

  it('is a mode like any other, with options that can be described', () => {
    const mode: Mode = werewolf
    expect(z.toJSONSchema(mode.options, { io: 'input' })).toMatchObject({ type: 'object' })
  })

  it('asks with schemas that allow what it asks for', () => {
    const ajv = new Ajv2020({ strict: true })
    const random = lehmer(1)
    for (const { asks } of simulate(3).rounds)
      for (const { schema, task } of asks) {
        expect(task).not.toBe('')
        if (schema) expect(ajv.validate(schema, chooseFrom(schema, random))).toBe(true)
      }
  })
})

describe('a run', () => {
  it('stops at the limit of answers, says why, and goes on where it was', () => {
    const { room, start } = sit({ discussion: 'parallel' }, { settings: { maxReplies: 4 } })
    const night = start()
    expect(night.asks).toHaveLength(2)
    const stopped = decided(werewolf, () =>
      werewolf.onAnswers(
        room,
        night.state,
        night.asks.map(({ agent }) => answer(agent, {})),
        { rounds: 2, answers: 4 },
      ),
    )
    expect(stopped).toMatchObject({
      asks: [],
      routing: { stopped: 'max_replies' },
      state: { phase: 'night_seer' },
    })
    const more = werewolf.onInput(room, stopped.state, says(host, 'go on'))
    expect(more.asks.map(({ agent }) => agent)).toEqual(as(more.state, 'seer'))
    const day = until(room, more, 'day_discuss')
    expect(day.asks.length).toBeLessThanOrEqual(4)
  })

  it('stays where it is when words are for a person, unless they are the speech of a player', () => {
    const { room, lobby, start } = sit({ discussion: 'in_order' }, { humans: ['ursula'] })
    const day = until(room, start(), 'day_discuss')
    for (const state of [lobby, day.state])
      expect(werewolf.onInput(room, state, says(host, 'are you there?', [], ['ursula']))).toMatchObject({
        state,
        statements: [],
        asks: [],
        routing: { reason: 'nobody', text: expect.stringContaining('ursula') as string },
      })
    const acts = day.state.alive
      .filter((player) => player !== 'ursula' && !day.state.acts.some((act) => act.player === player))
      .map((player) => ({ player }))
    const hers = freeze({ ...day.state, acts: [...day.state.acts, ...acts] })
    const spoken = werewolf.onInput(room, hers, says('ursula', 'it was you', [], [host]))
    expect(spoken.state).not.toEqual(hers)
  })

  it('that was broken off asks those who have not acted', () => {
    const { room, start } = sit({ discussion: 'parallel' })
    const day = until(room, start(), 'day_discuss')
    const again = werewolf.onAdvance!(room, day.state, { from: host })
    expect(again.asks).toEqual(day.asks)
  })

  it('goes on without an agent that was taken out of the room', () => {
    const { room, start } = sit({ discussion: 'parallel' })
    const night = start()
    const gone = night.asks[0]!.agent
    const smaller = freeze({ ...room, agents: room.agents.filter(({ name }) => name !== gone) })
    const day = until(smaller, night, 'day_discuss')
    expect(day.asks.map(({ agent }) => agent)).not.toContain(gone)
    expect(day.state.alive).toContain(gone)
  })
})
