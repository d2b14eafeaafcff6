import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'

/** Bounds of a turn, and of the runs that one process does. */
export const chatSettings = {
  'chat.maxSteps': setting(wholeNumber(1, 10_000), {
    description: 'Most model calls in one turn.',
    default: 50,
    project: 'always',
  }),
  'chat.maxSameCalls': setting(wholeNumber(2, 1_000), {
    description: 'The same tool call with the same input so often in a row ends the turn.',
    default: 5,
    project: 'always',
  }),
  'chat.tokenBudget': setting(wholeNumber(1, 1_000_000_000), {
    description: 'Most tokens of one turn, in and out. Without it there is no limit.',
    project: 'always',
  }),
  'chat.maxAttempts': setting(wholeNumber(1, 20), {
    description: 'Tries of one model call when the fault may pass, the first one included.',
    default: 4,
    project: 'always',
  }),
  'chat.maxRetryWaitMs': setting(wholeNumber(0, 3_600_000), {
    description: 'Longest wait that a provider may ask for before a turn fails instead, in milliseconds.',
    default: 60_000,
  }),
  'chat.modelIdleMs': setting(wholeNumber(100, 86_400_000), {
    description: 'A model that says nothing for so long has failed, in milliseconds.',
    default: 600_000,
  }),
  'chat.maxInputCharacters': setting(wholeNumber(1_000, 10_000_000), {
    description: 'Most characters of the text of one input; attached files do not count.',
    default: 1_000_000,
  }),
  'chat.maxInstructionsCharacters': setting(wholeNumber(1, 100_000), {
    description: 'Most characters of the instructions of a session.',
    default: 20_000,
  }),
  'chat.maxToolOutput': setting(wholeNumber(100, 10_000_000), {
    description: 'Characters of one tool result that the model gets to see.',
    default: 100_000,
    project: 'always',
  }),
  'chat.maxScopeContext': setting(wholeNumber(0, 12_000), {
    description:
      'Characters of what an input is told of its scope: names of documents, todo lists and files. 0 is nothing.',
    default: 2_200,
    project: 'always',
  }),
  'chat.leaseMs': setting(wholeNumber(1_000, 3_600_000), {
    description: 'A run whose process has not been heard of for so long is taken over, in milliseconds.',
    default: 30_000,
  }),
  'chat.maxClaims': setting(wholeNumber(1, 1_000), {
    description: 'A turn that took its process down so often is given up.',
    default: 3,
  }),
  'chat.maxTakenUp': setting(wholeNumber(1, 100_000), {
    description: 'Runs that wait in the store are taken up only while fewer than this go on in the process.',
    default: 64,
  }),
}
