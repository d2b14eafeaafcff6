import { describe, expect, it } from 'vitest'
import { decided, host, play, says } from '../../../../../test/room/play.ts'
import { wildPlayers } from '../../../../../test/room/scripted-players.ts'
import {
  abstaining,
  answered,
  as,
  seedsFrom,
  sit,
  textsOf,
  until,
  voting,
  type Game,
} from '../../../../../test/room/werewolf-table.ts'
import type { RoomFacts } from '../mode.ts'
import { werewolf } from '../werewolf.ts'
import type { Role } from './state.ts'

describe('a person who plays', () => {
  /** A game of four agents and people, in which the first person is what is wanted. */
  function sitAs(role: Role, options: Record<string, unknown> = {}, humans = ['ursula']) {
    const agents = 8 - humans.length
    const seed = seedsFrom(1, 500).find((each) => {
      const { roles } = sit({ seed: each }, { agents, humans }).lobby
      return roles['ursula'] === role && roles['victor'] !== 'wolf'
    })
    return sit({ seed, ...options }, { agents, humans })
  }
  const acts = (room: RoomFacts, { state }: Game, action: Record<string, unknown>, from = 'ursula') =>
    decided(werewolf, () => werewolf.onAdvance!(room, state, { from, action }))
  const asksOf = (room: RoomFacts, { state }: Game) => werewolf.asksOfPeople!(room, state)

  it('is a wolf with the other wolves: hears them, and the night waits', () => {
    const { room, start } = sitAs('wolf', { wolfChatRounds: 1 })
    const game = start()
    const [victim] = as(game.state, 'villager')
    expect(game.asks).toHaveLength(1)
    const agent = game.asks[0]!.agent
    const waits = answered(room, game, () => ({ text: 'take the quiet one', data: { target: victim } }))
    expect(waits).toMatchObject({ asks: [], state: { phase: 'night_wolf', step: 1 } })
    expect(werewolf.playerView!(room, waits.state, 'ursula').channel, 'proposals come together').toEqual([])
    expect(asksOf(room, waits)).toMatchObject([{ human: 'ursula', schema: { required: ['target'] } }])
    const choice = acts(room, waits, { target: victim, say: 'fine' })
    expect(choice.asks[0]!.task).toContain('fine')
    const view = werewolf.playerView!(room, choice.state, 'ursula')
    expect(view.facts.join('\n')).toContain(`The werewolves are: ${agent}, ursula`)
    expect(view.channel).toEqual([
      { from: agent, text: `→ ${victim}: take the quiet one` },
      { from: 'ursula', text: `→ ${victim}: fine` },
    ])
    const done = acts(room, answered(room, choice, abstaining), { target: victim })
    expect(done.state.nights[0]!.victim).toBe(victim)
    const wordless = werewolf.playerView!(room, done.state, 'ursula').channel
    expect(wordless.at(-1)).toEqual({ from: 'ursula', text: `→ ${victim}` })
  })

  it('is the seer, and learns at once', () => {
    const { room, start } = sitAs('seer')
    const night = answered(room, start(), abstaining)
    expect(night).toMatchObject({ asks: [], statements: [], routing: { reason: 'nobody', phase: 'night' } })
    expect(night.routing.text).not.toContain('ursula')
    const [wolf] = as(night.state, 'wolf')
    const next = acts(room, night, { target: wolf })
    expect(werewolf.playerView!(room, next.state, 'ursula').facts).toContain(
      `Your check of night 1: ${wolf} is a werewolf.`,
    )
  })

  it('is the witch, and is told who is to die', () => {
    const { room, start } = sitAs('witch')
    const game = start()
    const [victim] = as(game.state, 'villager')
    const night = until(room, game, 'night_witch', () => ({ data: { target: victim } }))
    expect(asksOf(room, night)[0]!.text).toContain(`To die tonight: ${victim}`)
    expect(acts(room, night, { item: 'antidote' }).state.alive).toContain(victim)
  })

  it('speaks by saying something, and votes by acting', () => {
    const { room, start } = sitAs('villager', { discussion: 'parallel' })
    const day = until(room, start(), 'day_discuss')
    const waits = answered(room, day, () => ({ text: 'hm' }))
    expect(asksOf(room, waits)).toEqual([{ human: 'ursula', text: expect.any(String), byChat: true }])
    expect(waits.routing.text).toContain('Waiting for ursula')
    const vote = decided(werewolf, () => werewolf.onInput(room, waits.state, says('ursula', 'It was not me')))
    expect(vote.state.phase).toBe('day_vote')
    const counted = answered(room, vote, voting({}))
    expect(asksOf(room, counted)).toMatchObject([{ human: 'ursula', schema: { type: 'object' } }])
    const [wolf] = as(vote.state, 'wolf')
    const end = acts(room, counted, { vote: wolf, say: 'bye' })
    expect(textsOf(end)).toEqual(expect.arrayContaining(['ursula: bye']))
    expect(end.state.deaths.at(-1)).toMatchObject({ player: wolf, cause: 'vote' })
  })

  it('keeps the night to itself until the game is over', () => {
    const { room, start } = sitAs('villager')
    const game = start()
    expect(werewolf.isSealed!(room, game.state)).toBe(true)
    expect(werewolf.view(room, game.state)['phase']).toBe('night')
    expect(game.routing).toMatchObject({ phase: 'night', text: 'Night 1.' })
    expect(werewolf.playerView!(room, game.state, 'ursula')).toEqual({
      facts: ['You are ursula, and your role is: villager.'],
      channel: [],
    })
    expect(werewolf.playerView!(room, game.state, host)).toEqual({ facts: [], channel: [] })
    const end = play(werewolf, room, {}, 1, wildPlayers(1))
    expect(werewolf.isSealed!(room, end.state)).toBe(false)
    const withoutPeople = sit()
    expect(werewolf.isSealed!(withoutPeople.room, withoutPeople.start().state)).toBe(false)
  })

  it.each<[string, string, Record<string, unknown>, string]>([
    ['a target that is not there', 'ursula', { target: 'zulu' }, 'invalid_request'],
    ['herself', 'ursula', { target: 'ursula' }, 'invalid_request'],
    ['a number', 'ursula', { target: 3 }, 'invalid_request'],
    ['nothing', 'ursula', {}, 'invalid_request'],
    ['what is inherited', 'ursula', { target: 'toString' }, 'invalid_request'],
    ['the deed of somebody who is not asked', 'victor', { target: 'bravo' }, 'conflict'],
    ['the deed of the host', host, { target: 'bravo' }, 'invalid_request'],
    ['the deed of an agent', 'bravo', { target: 'bravo' }, 'invalid_request'],
  ])('is refused %s', (_what, from, action, code) => {
    const { room, start } = sitAs('seer', {}, ['ursula', 'victor'])
    const night = answered(room, start(), abstaining)
    expect(() => werewolf.onAdvance!(room, night.state, { from, action })).toThrow(
      expect.objectContaining({ code }),
    )
  })

  it('is refused a vote for the dead, and an act in the discussion', () => {
    const { room, start } = sitAs('villager', { discussion: 'parallel' })
    const game = start()
    const [victim] = as(game.state, 'seer')
    const day = until(room, game, 'day_discuss', () => ({ data: { target: victim } }))
    expect(day.state.alive).not.toContain(victim)
    const waits = answered(room, day, () => ({ text: 'hm' }))
    expect(() => acts(room, waits, { vote: 'bravo' })).toThrow(/say it in the room/)
    const vote = answered(room, werewolf.onInput(room, waits.state, says('ursula', 'hm')), voting({}))
    expect(() => acts(room, vote, { vote: victim })).toThrow(/That cannot be done.*vote: one of/)
  })

  it('can be gone on without: by themself and by the host, and not by another player', () => {
    const { room, start } = sitAs('seer', {}, ['ursula', 'victor'])
    const night = answered(room, start(), abstaining)
    expect(night.state.phase).toBe('night_seer')
    for (const from of ['ursula', host]) {
      const next = decided(werewolf, () => werewolf.onAdvance!(room, night.state, { from }))
      expect(next.state.nights[0]).not.toHaveProperty('check')
      expect(next.state.phase).not.toBe('night_seer')
    }
    expect(() => werewolf.onAdvance!(room, night.state, { from: 'victor' })).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.not.stringContaining('ursula') }),
    )
  })

  it('is not passed over because the host, or another player, says something', () => {
    const { room, start } = sitAs('seer', {}, ['ursula', 'victor'])
    const night = answered(room, start(), abstaining)
    for (const from of [host, 'victor', 'ursula']) {
      const after = decided(werewolf, () => werewolf.onInput(room, night.state, says(from, 'Well?')))
      expect(after).toMatchObject({ state: night.state, asks: [], statements: [] })
    }
  })
})
