import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { Store } from '../../core/store/store.ts'
import { readLocksAround } from './locks.ts'
import { tagged, type Fragment } from '../../core/prompt/fragment.ts'

/** Shows sessions the locks in the scope that they work in. */
export const lockSource = (store: Store): PromptSource => ({
  name: 'locks',
  appliesTo: () => true,
  // where there is nothing, nobody holds anything
  load: async (session, _input, { view }) =>
    view && !view.describe ? {} : { locks: await readLocksAround(store, session) },
  places: [{ fragment: activeLocks, part: 'dynamic', after: 'workspace_context' }],
})

export const activeLocks: Fragment = {
  name: 'active_locks',
  render: ({ locks = [] }) =>
    tagged(
      'active_locks',
      locks
        .map(
          ({ resource, holder, reason }) =>
            `- ${resource} is held by ${holder}${reason ? ` (${reason})` : ''}`,
        )
        .join('\n'),
    ),
}
