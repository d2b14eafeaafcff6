import { tagged, type Fragment } from '../fragment.ts'

/** What a slash command or the caller adds to this one turn. */
export const promptInjection: Fragment = {
  name: 'prompt_injection',
  tag: 'command_instructions',
  isForOneTurn: true,
  render: ({ injection }) => tagged('command_instructions', injection),
}
