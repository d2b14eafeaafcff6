import { describe, expect, it } from 'vitest'
import { decided, host, play, says } from '../../../../../test/room/play.ts'
import {
  abstaining,
  answered,
  as,
  optionsOf,
  sit,
  textsOf,
  until,
  voting,
} from '../../../../../test/room/werewolf-table.ts'
import { werewolf } from '../werewolf.ts'

describe('the day', () => {
  const toVote = (options: Record<string, unknown> = {}) => {
    const { room, start } = sit({ roles: { wolves: 1 }, ...options })
    return {
      room,
      game: until(room, start(), 'day_vote', (ask) => (ask.schema ? abstaining() : { text: 'hm' })),
    }
  }

  it('lets one speak after another, each day beginning with the next', () => {
    const { room, start } = sit()
    let game = until(room, start(), 'day_discuss')
    const order: string[] = []
    for (; game.state.phase === 'day_discuss'; game = answered(room, game, () => ({ text: 'hello' }))) {
      order.push(...game.asks.map(({ agent }) => agent))
      expect(game.asks[0]).not.toHaveProperty('schema')
      expect(game.asks[0]).not.toHaveProperty('isPrivate')
    }
    expect(order).toEqual(game.state.players)
    const second = until(room, until(room, game, 'night_wolf'), 'day_discuss')
    expect(second.asks[0]!.agent).toBe(game.state.players[1])
  })

  it('lets all speak at once where that is wanted, and tells who failed', () => {
    const { room, start } = sit({ discussion: 'parallel' })
    const game = until(room, start(), 'day_discuss')
    expect(game.asks).toHaveLength(6)
    const [silent, failed, ...others] = game.asks.map(({ agent }) => agent)
    const vote = answered(room, game, ({ agent }) => ({
      text: 'hello',
      status: agent === silent ? 'skipped' : agent === failed ? 'failed' : 'said',
    }))
    expect(vote.statements).toEqual([failed, ...others].map((agent) => ({ answerOf: agent })))
    expect(vote.state.phase).toBe('day_vote')
  })

  it('shows votes when all are in, with what each said', () => {
    const { room, game } = toVote()
    const [one, two] = game.state.players as [string, string]
    expect(optionsOf(game.asks[0]!, 'vote')).toEqual([...game.state.players.slice(1), 'abstain'])
    expect(game.asks.every((ask) => ask.isPrivate)).toBe(true)
    const out = game.state.players.findLast((player) => game.state.roles[player] !== 'wolf')!
    const end = answered(room, game, ({ agent }) =>
      agent === one || agent === two
        ? { text: `since ${agent} says so`, data: { vote: out } }
        : { data: { vote: 'abstain' } },
    )
    expect(end.statements[0]).toEqual({
      agent: one,
      text: expect.stringContaining(`since ${one} says so\nI vote for`),
    })
    expect(textsOf(end).join('\n')).toContain(`${out} (${end.state.roles[out]}) is out`)
    expect(end.state.votes).toHaveLength(1)
    expect(end.state.votes[0]!.ballots.filter(({ target }) => target)).toHaveLength(2)
  })

  it('votes once more on a tie, among the tied, and then lets nobody go', () => {
    const { room, game } = toVote()
    const [one, two, three, four] = game.state.players as [string, string, string, string]
    const tie = answered(room, game, voting({ [three]: one, [four]: two }))
    expect(tie.state).toMatchObject({ phase: 'day_vote', step: 2 })
    expect(
      optionsOf(
        tie.asks.find(({ agent }) => agent === three)!,
        'vote',
      ),
    ).toEqual([one, two, 'abstain'])
    expect(
      optionsOf(
        tie.asks.find(({ agent }) => agent === one)!,
        'vote',
      ),
    ).toEqual([two, 'abstain'])
    expect(werewolf.describe(room, tie.state)).toContain(
      `second vote, among those who were tied: ${one}, ${two}`,
    )
    const again = answered(room, tie, voting({ [three]: one, [four]: two }))
    expect(again.state).toMatchObject({ phase: 'night_wolf', round: 2, alive: game.state.players })
    const other = answered(room, tie, voting({ [three]: four, [four]: two }))
    expect(other.state.deaths, 'a vote for somebody who was not tied does not count').toMatchObject([
      { player: two },
    ])
  })

  it('lets nobody go on a tie when there is no second vote, and when nobody votes', () => {
    const { room, game } = toVote({ revote: false })
    const [one, two, three, four] = game.state.players as [string, string, string, string]
    for (const votes of [{ [three]: one, [four]: two }, {}]) {
      const night = answered(room, game, voting(votes))
      expect(night.state).toMatchObject({ phase: 'night_wolf', round: 2, alive: game.state.players })
      expect(textsOf(night).join()).toContain('Nobody is out')
    }
  })

  it.each([true, false])('tells the role of the dead at once, or not (%s)', (revealOnDeath) => {
    const { room, game } = toVote({ revealOnDeath })
    const [seer] = as(game.state, 'seer') as [string]
    const out = answered(room, game, ({ agent }) => ({ data: { vote: agent === seer ? 'abstain' : seer } }))
    const text = textsOf(out).join('\n') + werewolf.describe(room, out.state)
    expect(text.includes(`${seer} (seer)`)).toBe(revealOnDeath)
    expect(werewolf.view(room, out.state)['dead']).toEqual([
      { player: seer, round: 1, cause: 'vote', ...(revealOnDeath && { role: 'seer' }) },
    ])
    expect(out.asks.map(({ agent }) => agent)).not.toContain(seer)
  })

  it('ends with all that was kept secret', () => {
    const { room, game } = toVote()
    const [wolf] = as(game.state, 'wolf') as [string]
    const end = answered(room, game, ({ agent }) => ({ data: { vote: agent === wolf ? 'abstain' : wolf } }))
    const text = textsOf(end).at(-1)!
    expect(text).toContain('The village wins')
    for (const [player, role] of Object.entries(end.state.roles))
      expect(text).toContain(`${player} (${role === 'wolf' ? 'werewolf' : role})`)
    expect(text).toContain('Night 1: the werewolves chose nobody')
    expect(werewolf.view(room, end.state)).toMatchObject({
      phase: 'ended',
      winner: 'village',
      roles: end.state.roles,
    })
    const later = decided(werewolf, () => werewolf.onInput(room, end.state, says(host, 'well played')))
    expect(later).toMatchObject({
      state: { ...end.state, asked: [] },
      asks: [],
      statements: [],
      routing: { reason: 'nobody' },
    })
    expect(werewolf.canAdvance!(room, end.state)).toBe(false)
    expect(() => werewolf.onAdvance!(room, end.state, { from: host })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
  })

  it('is won by nobody when it lasts too long', () => {
    const { room, start } = sit({ maxRounds: 3 })
    const end = until(room, start(), 'ended')
    expect(end.state).toMatchObject({ winner: 'nobody', round: 3, alive: end.state.players })
    expect(textsOf(end).at(-1)).toContain('Nobody wins')
    expect(play(werewolf, room, {}, 1, { reply: () => undefined }).view).toMatchObject({
      winner: 'nobody',
      round: 20,
    })
  })
})
