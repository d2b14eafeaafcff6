import { tagged, type Fragment, type PromptSource, type Store } from 'parley/extension'
import type { Poll } from './operations.ts'
import { readPoll } from './verbs.ts'

declare module 'parley/extension' {
  interface PromptFacets {
    poll?: Poll
  }
}

/** Pure: the same facts give the same text. */
const currentPoll: Fragment = {
  name: 'current_poll',
  render: ({ poll }) =>
    poll &&
    tagged(
      'current_poll',
      `This session is about the ${poll.isOpen ? 'open' : 'closed'} poll ${poll.id}: ${poll.question}\n${poll.choices
        .map(({ text, votes }) => `- ${text}: ${votes}`)
        .join('\n')}`,
    ),
}

/** `appliesTo` decides without reading anything: turns of other sessions pay nothing. */
export const pollPrompt = (store: Store): PromptSource => ({
  name: 'polls',
  appliesTo: ({ pollId }) => pollId !== undefined,
  load: async ({ scope, pollId }) => ({ poll: await readPoll(store, scope, pollId!) }),
  places: [{ fragment: currentPoll, part: 'dynamic', after: 'workspace_context' }],
})
