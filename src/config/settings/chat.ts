import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'

/** Bounds of a turn, and of the runs that one process does. */
export const chatSettings = {
  'chat.maxSteps': setting(wholeNumber(1, 10_000), {
    description: 'Maximum number of model calls in one turn.',
    default: 50,
    project: 'always',
  }),
  'chat.maxSameCalls': setting(wholeNumber(2, 1_000), {
    description: 'How many identical tool calls in a row end the turn.',
    default: 5,
    project: 'always',
  }),
  'chat.tokenBudget': setting(wholeNumber(1, 1_000_000_000), {
    description: 'Maximum tokens of one turn, input and output. Without it there is no limit.',
    project: 'always',
  }),
  'chat.maxAttempts': setting(wholeNumber(1, 20), {
    description: 'Attempts of one model call when the error is transient, including the first.',
    default: 4,
    project: 'always',
  }),
  'chat.maxRetryWaitMs': setting(wholeNumber(0, 3_600_000), {
    description:
      'Longest wait that a provider may request; beyond it the turn fails instead, in milliseconds.',
    default: 60_000,
  }),
  'chat.modelIdleMs': setting(wholeNumber(100, 86_400_000), {
    description: 'How long a model may send nothing before the call fails, in milliseconds.',
    default: 600_000,
  }),
  'chat.callerTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
    description:
      'How long a turn waits for the result of a tool that its caller executes, in milliseconds; then the call fails.',
    default: 3_600_000,
  }),
  'chat.maxInputCharacters': setting(wholeNumber(1_000, 10_000_000), {
    description: 'Maximum characters of the text of one input; attached files do not count.',
    default: 1_000_000,
  }),
  'chat.maxInstructionsCharacters': setting(wholeNumber(1, 100_000), {
    description: 'Most characters of the instructions of a session.',
    default: 20_000,
  }),
  'chat.maxToolOutput': setting(wholeNumber(100, 10_000_000), {
    description: 'Maximum characters of one tool result that the model sees.',
    default: 100_000,
    project: 'always',
  }),
  'chat.maxScopeContext': setting(wholeNumber(0, 12_000), {
    description:
      'Maximum characters that describe the scope in an input: names of documents, todo lists and files. 0 is nothing.',
    default: 2_200,
    project: 'always',
  }),
  'chat.leaseMs': setting(wholeNumber(1_000, 3_600_000), {
    description: 'How long the process of a run may be silent before another takes over, in milliseconds.',
    default: 30_000,
  }),
  'chat.maxClaims': setting(wholeNumber(1, 1_000), {
    description: 'How often a turn may crash its process before it is given up.',
    default: 3,
  }),
  'chat.maxTakenUp': setting(wholeNumber(1, 100_000), {
    description: 'The process takes up queued runs only while fewer than this are running in it.',
    default: 64,
  }),
}
