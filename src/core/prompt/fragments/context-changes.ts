import { tagged, type Fragment } from '../fragment.ts'

/** Rules and skills that changed while the static part stays as it was sent; the next epoch takes them in. */
export const contextChanges: Fragment = {
  name: 'context_changes',
  // not <context_changes>: in stored contexts, whatever begins like the end of <context> is broken up
  tag: 'changes',
  render: ({ changes }) => tagged('changes', changes, { holds: ['rules', 'imported'] }),
}
