import { describe, expect, it } from 'vitest'
import { decided, type Reply } from '../../../../../test/room/play.ts'
import {
  abstaining,
  answered,
  as,
  optionsOf,
  seedsFrom,
  sit,
  textsOf,
  until,
  type Game,
} from '../../../../../test/room/werewolf-table.ts'
import type { RoomFacts } from '../mode.ts'
import { werewolf } from '../werewolf.ts'

describe('the night', () => {
  it('is asked of wolves at once, in private, and of nobody else', () => {
    const game = sit().start()
    const wolves = as(game.state, 'wolf')
    expect(game.asks.map(({ agent }) => agent)).toEqual(wolves)
    expect(game.asks).toEqual(
      wolves.map(() => expect.objectContaining({ isPrivate: true, withoutTools: true })),
    )
    expect(optionsOf(game.asks[0]!, 'target')).toEqual([
      ...game.state.players.filter((player) => !wolves.includes(player)),
      'nobody',
    ])
  })

  it('lets wolves hear one another before they choose', () => {
    const { room, start } = sit({ wolfChatRounds: 1 })
    const talk = start()
    const [one, other] = as(talk.state, 'wolf')
    const choice = answered(room, talk, (ask) => ({
      text: ask.agent === one ? 'the loud\none' : 'no idea',
      data: { target: as(talk.state, 'seer')[0] },
    }))
    expect(choice.state.phase).toBe('night_wolf')
    expect(choice.asks.find(({ agent }) => agent === other)!.task).toContain('the loud one')
    expect(answered(room, choice, abstaining).state.phase).toBe('night_seer')
  })

  it('kills whom most wolves choose, and by lot when they do not agree', () => {
    const { room, start } = sit({ roles: { wolves: 3 } }, { agents: 9 })
    const game = start()
    const [one, two] = as(game.state, 'villager')
    const wolves = as(game.state, 'wolf')
    const most = answered(room, game, ({ agent }) => ({ data: { target: agent === wolves[0] ? one : two } }))
    expect(most.state.nights).toEqual([{ round: 1, victim: two }])
    const tied = (seed: number) => {
      const other = sit({ roles: { wolves: 2 }, seed }, { agents: 9 })
      const begun = other.start()
      const [wolf] = as(begun.state, 'wolf')
      const [first, second] = as(begun.state, 'villager').toSorted()
      const night = answered(other.room, begun, ({ agent }) => ({
        data: { target: agent === wolf ? first : second },
      }))
      return night.state.nights[0]!.victim === first
    }
    expect(new Set(seedsFrom(1, 30).map(tied))).toEqual(new Set([true, false]))
  })

  it.each<[string, Reply]>([
    ['nobody', { data: { target: 'nobody' } }],
    ['a wolf', { data: { target: 'wolf' } }],
    ['nothing', { data: {} }],
    ['words only', { text: 'I cannot decide' }],
    ['a failure', { status: 'failed', data: { target: 'villager' }, error: { code: 'turn_failed' } }],
    ['silence', { status: 'skipped' }],
    ['being stopped', { status: 'stopped' }],
  ])('counts %s as abstaining', (_what, reply) => {
    const { room, start } = sit()
    const game = start()
    const target = reply?.data?.['target']
    const named = target === 'wolf' || target === 'villager' ? as(game.state, target)[0] : target
    const data = reply?.data && { target: named }
    const seer = answered(room, game, () => ({ ...reply, ...(data && { data }) }))
    expect(seer.state.nights).toEqual([{ round: 1 }])
    expect(textsOf(until(room, seer, 'day_discuss')).join()).toContain('Nobody died')
  })

  it('lets the other wolves decide when one does not', () => {
    const { room, start } = sit()
    const game = start()
    const [wolf] = as(game.state, 'wolf')
    const [victim] = as(game.state, 'villager')
    const seer = answered(room, game, ({ agent }) =>
      agent === wolf ? { status: 'failed' } : { data: { target: `@${victim!.toUpperCase()}` } },
    )
    expect(seer.state.nights[0]!.victim).toBe(victim)
  })

  it('counts an answer that never came as abstaining, and asks nobody twice', () => {
    const { room, start } = sit()
    const { state } = start()
    const seer = decided(werewolf, () => werewolf.onAnswers(room, state, [], { rounds: 1, answers: 0 }))
    expect(seer.state.phase).toBe('night_seer')
  })

  it('tells the seer, and the seer alone, what was found', () => {
    const { room, start } = sit()
    const game = start()
    const [seer] = as(game.state, 'seer')
    const [wolf] = as(game.state, 'wolf')
    const told = until(room, game, 'day_discuss', ({ agent }) => ({
      data: { target: agent === seer ? wolf : 'nobody' },
    }))
    expect(told.state.nights[0]!.check).toEqual({ target: wolf, isWolf: true })
    let now = told
    for (const _ of told.state.alive) {
      const line = now.asks[0]!.task!.includes(`${wolf} is a werewolf`)
      expect(line).toBe(now.asks[0]!.agent === seer)
      now = answered(room, now, () => ({ text: 'hm' }))
    }
    expect(now.state.phase).toBe('day_vote')
    expect(
      now.asks.filter(({ task }) => task!.includes(`${wolf} is a werewolf`)).map(({ agent }) => agent),
    ).toEqual([seer])
  })

  describe('of the witch', () => {
    /** To the witch of the first night, or of the next one. */
    function toWitch(room: RoomFacts, game: Game, victim: string) {
      return until(room, game, 'night_witch', ({ agent }) =>
        game.state.roles[agent] === 'wolf' ? { data: { target: victim } } : abstaining(),
      )
    }
    /** One who can die without ending the game. */
    const arrange = (options: Record<string, unknown> = {}) => {
      const { room, start } = sit({ roles: { wolves: 1 }, ...options }, { agents: 8 })
      const begun = start()
      const [victim, another] = as(begun.state, 'villager') as [string, string]
      return { room, victim, another, wolf: as(begun.state, 'wolf')[0]!, game: toWitch(room, begun, victim) }
    }

    it('tells her who is to die, and lets her save', () => {
      const { room, victim, game } = arrange()
      expect(game.asks[0]!.task).toContain(`To die tonight: ${victim}`)
      const day = answered(room, game, () => ({ data: { item: 'antidote' } }))
      expect(day.state.alive).toHaveLength(8)
      expect(textsOf(day).join()).toContain('Nobody died')
      expect(day.state.witch).toEqual({ antidote: false, poison: true })
      const night = until(room, day, 'night_wolf')
      const again = toWitch(room, night, victim)
      expect(optionsOf(again.asks[0]!, 'item')).toEqual(['poison', 'nothing'])
      const after = answered(room, again, () => ({ data: { item: 'antidote' } }))
      expect(after.state.alive).not.toContain(victim)
    })

    it('lets her kill, once, and not both in one night', () => {
      const { room, victim, another, game } = arrange()
      const day = answered(room, game, () => ({ data: { item: 'poison', target: another } }))
      expect(day.state.deaths.map(({ player }) => player).toSorted()).toEqual([victim, another].toSorted())
      expect(day.state.witch).toEqual({ antidote: true, poison: false })
      const both = answered(room, game, () => ({ data: { item: ['antidote', 'poison'], target: another } }))
      expect(both.state).toMatchObject({
        witch: { antidote: true, poison: true },
        deaths: [{ player: victim }],
      })
    })

    it.each([
      { item: 'poison' },
      { item: 'poison', target: 'nobody' },
      { item: 'poison', target: 'zulu' },
      { item: 'broom' },
      {},
    ])('takes %j for nothing', (data) => {
      const { room, game } = arrange()
      const day = answered(room, game, () => ({ data }))
      expect(day.state).toMatchObject({
        witch: { antidote: true, poison: true },
        deaths: [{ cause: 'night' }],
      })
    })

    it('cannot save when nobody is to die', () => {
      const { room, start } = sit()
      const game = until(room, start(), 'night_witch')
      expect(optionsOf(game.asks[0]!, 'item')).toEqual(['poison', 'nothing'])
      expect(answered(room, game, () => ({ data: { item: 'antidote' } })).state.witch.antidote).toBe(true)
    })

    it('is not asked when nothing is left', () => {
      const { room, victim, another, game } = arrange()
      const first = answered(room, game, () => ({ data: { item: 'antidote' } }))
      const second = answered(room, toWitch(room, until(room, first, 'night_wolf'), victim), () => ({
        data: { item: 'poison', target: another },
      }))
      const night = until(room, second, 'night_wolf')
      const seer = answered(room, night, abstaining)
      expect(answered(room, seer, abstaining).state.phase).toBe('day_discuss')
    })

    it('has those of one night die together: the last wolf with the victim is a victory of the village', () => {
      const { room, wolf, game } = arrange()
      const end = answered(room, game, () => ({ data: { item: 'poison', target: wolf } }))
      expect(end.state).toMatchObject({ phase: 'ended', winner: 'village' })
      expect(end.asks).toEqual([])
    })
  })
})
