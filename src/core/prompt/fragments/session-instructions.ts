import { tagged, type Fragment } from '../fragment.ts'

/** What whoever made the session wants in it; behind what all sessions of a scope have in common, which stays cached. */
export const sessionInstructions: Fragment = {
  name: 'session_instructions',
  render: (context) => tagged('session_instructions', context.instructions),
}
