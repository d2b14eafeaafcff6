import { maxTimeoutMs } from '../../core/protocol/background.ts'
import { setting } from '../../core/settings/setting.ts'
import { oneOf, wholeNumber } from '../../core/settings/values.ts'

export const backgroundSettings = {
  'background.maxPerParent': setting(wholeNumber(1, 100_000), {
    description: 'Most tasks of one session at a time.',
    default: 5,
    project: 'always',
  }),
  'background.maxGlobal': setting(wholeNumber(1, 100_000), {
    description: 'Most background sessions at a time, over all processes of a store.',
    default: 10,
  }),
  'background.maxDepth': setting(wholeNumber(0, 100), {
    description: 'How deep tasks may start tasks: 1 is tasks of a chat only, 0 is none at all.',
    default: 2,
    project: 'always',
  }),
  'background.overLimit': setting(oneOf('reject', 'queue'), {
    description: 'What happens to a task over these limits. reject: it is refused. queue: it waits.',
    default: 'reject',
    project: 'always',
  }),
  'background.maxQueued': setting(wholeNumber(0, 1_000_000), {
    description: 'With `queue`: so many wait at most.',
    default: 1_000,
  }),
  'background.timeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
    description: 'How long a background session may go on when it says nothing else, in milliseconds.',
    default: 600_000,
    project: 'always',
  }),
  'background.maxWakes': setting(wholeNumber(0, 100_000), {
    description:
      'How many turns of a session in a row may begin by themselves for results of tasks that it started, until somebody says something there; 0 is none.',
    default: 20,
    project: 'always',
  }),
  'background.onCrash': setting(oneOf('resume', 'interrupt'), {
    description:
      'What becomes of a task whose process died: it goes on after its last stored step, or ends as interrupted.',
    default: 'resume',
  }),
}
