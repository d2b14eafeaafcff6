import { expect, it } from 'vitest'
import { readQuiz, readWerewolf, readWorkflow } from './read-state.ts'

it.each([{}, { nodes: 7, players: 'x', dead: [null], votes: [1], scores: [], results: [null], round: 'x' }])(
  'bears a state of another shape: %j',
  (state) => {
    expect(readWorkflow(state).nodes).toEqual([])
    expect(readWerewolf(state)).toMatchObject({ phase: 'lobby', round: 0, players: [] })
    expect(readQuiz(state)).toMatchObject({ phase: 'lobby', round: 0, scores: [] })
  },
)

it('knows who is dead, since when and as what', () => {
  const { players, aliveCount } = readWerewolf({
    players: ['milk', 'billy', 'ada'],
    alive: ['milk', 'ada'],
    dead: [{ player: 'billy', round: 2, cause: 'vote', role: 'wolf' }],
    roles: { milk: 'seer' },
  })
  expect(players).toEqual([
    { name: 'milk', role: 'seer' },
    { name: 'billy', death: { round: 2, cause: 'vote' }, role: 'wolf' },
    { name: 'ada' },
  ])
  expect(aliveCount).toBe(2)
})

it('ranks by points, and gives the same rank for as many', () => {
  const { scores } = readQuiz({ scores: { milk: 1, billy: 3, ada: 3, coffee: 0 } })
  expect(scores.map(({ player, rank }) => [player, rank])).toEqual([
    ['billy', 1],
    ['ada', 1],
    ['milk', 3],
    ['coffee', 4],
  ])
})
