import { expect, it } from 'vitest'
import type { Round } from '../../../src/extensions/room/protocol/room.ts'
import { latestTurns } from './latest-turns.ts'

const round = (...turns: object[]) => ({ turns }) as Round

it('takes the newest turn of each agent that can be looked into', () => {
  const seat = { sessionId: 'ses_milk' }
  expect(
    latestTurns([
      round({ agent: 'milk' }),
      round(
        { agent: 'milk', runId: 'run_2', ...seat },
        { agent: 'billy', runId: 'run_3', sessionId: 'ses_billy' },
      ),
      round({ agent: 'milk', runId: 'run_1', ...seat }),
    ]),
  ).toEqual([
    { agent: 'milk', runId: 'run_2', ...seat },
    { agent: 'billy', runId: 'run_3', sessionId: 'ses_billy' },
  ])
})
