import { z } from 'zod'
import { maxTimeoutMs } from '../../core/protocol/background.ts'
import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'

const testCommandError = 'the beginning of a command of 1 to 200 characters, such as npm test'
const testCommands = z
  .array(
    z.string(testCommandError).trim().min(1, testCommandError).max(200, testCommandError),
    'a list of beginnings of commands',
  )
  .max(100, 'a list of at most 100 beginnings of commands')

export const roomSettings = defineSettings({
  listedAfter: 'permissions',
  toOptions: ({ rooms }) => ({ rooms }),
  table: {
    'rooms.hopLimit': setting(wholeNumber(0, 20), {
      description: 'How often in a row the agents of a room may call one another.',
      default: 3,
      project: 'always',
    }),
    'rooms.coolDown': setting(wholeNumber(0, 20), {
      description: 'Rounds for which an agent that spoke rests before another agent can call it.',
      default: 0,
      project: 'always',
    }),
    'rooms.maxReplies': setting(wholeNumber(1, 1_000), {
      description: 'Most answers to one input, of all agents of a room.',
      default: 50,
      project: 'always',
    }),
    'rooms.keptStates': setting(wholeNumber(1, 10_000), {
      description:
        'At how many messages of a room its mode is kept, for when its log is rolled back or forked.',
      default: 200,
      project: 'always',
    }),
    'rooms.agentTimeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
      description: 'How long an agent may take for one answer, in milliseconds.',
      default: 300_000,
      project: 'always',
    }),
    'rooms.testCommands': setting(testCommands, {
      description:
        'What the test commands of a room may begin with, by words. They are run without a shell in the folder of the scope.',
      default: [],
      defaultText: '`npm test`, `npm run test`, `node --test`, `pnpm test`, `yarn test`',
    }),
    'rooms.testTimeoutMs': setting(wholeNumber(1_000, 3_600_000), {
      description: 'How long one of them may take, in milliseconds.',
      default: 120_000,
      project: 'always',
    }),
  },
})
