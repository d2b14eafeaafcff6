import { maxTimeoutMs } from '../../core/protocol/background.ts'
import { setting } from '../../core/settings/setting.ts'
import { oneOf, wholeNumber } from '../../core/settings/values.ts'

export const backgroundSettings = {
  'background.maxPerParent': setting(wholeNumber(1, 100_000), {
    description: 'Maximum number of concurrent tasks of one session.',
    default: 5,
    project: 'always',
  }),
  'background.maxGlobal': setting(wholeNumber(1, 100_000), {
    description: 'Maximum number of concurrent background sessions, across all processes of a store.',
    default: 10,
  }),
  'background.maxDepth': setting(wholeNumber(0, 100), {
    description: 'How many levels deep tasks may start tasks: 1 allows only tasks of a chat, 0 none at all.',
    default: 2,
    project: 'always',
  }),
  'background.overLimit': setting(oneOf('reject', 'queue'), {
    description: 'What happens to a task over these limits. reject: it is rejected. queue: it waits.',
    default: 'reject',
    project: 'always',
  }),
  'background.maxQueued': setting(wholeNumber(0, 1_000_000), {
    description: 'With `queue`: how many may wait.',
    default: 1_000,
  }),
  'background.timeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
    description: 'Default time limit of a background session, in milliseconds.',
    default: 600_000,
    project: 'always',
  }),
  'background.maxWakes': setting(wholeNumber(0, 100_000), {
    description:
      'How many consecutive turns of a session may start by themselves for results of its own tasks, until somebody sends a message; 0 is none.',
    default: 20,
    project: 'always',
  }),
  'background.onCrash': setting(oneOf('resume', 'interrupt'), {
    description:
      'What happens to a task whose process died: it continues after its last stored step, or ends as interrupted.',
    default: 'resume',
  }),
}
