import { tagged, type Fragment } from '../fragment.ts'

/** Rules and skills that changed while the static part stays as it was sent; the next epoch takes them in. */
export const contextChanges: Fragment = {
  name: 'context_changes',
  render: ({ changes }) => tagged('context_changes', changes),
}
