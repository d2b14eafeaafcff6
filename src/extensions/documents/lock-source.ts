import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { Store } from '../../core/store/store.ts'
import { activeLocks } from './fragments/active-locks.ts'
import { readLocksAround } from './locks.ts'

/** Tells sessions that work in their scope what is held there. */
export const lockSource = (store: Store): PromptSource => ({
  name: 'locks',
  appliesTo: () => true,
  // where there is nothing, nobody holds anything
  load: async (session, _input, { view }) =>
    view && !view.describe ? {} : { locks: await readLocksAround(store, session) },
  places: [{ fragment: activeLocks, part: 'dynamic', after: 'workspace_context' }],
})
