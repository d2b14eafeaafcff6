import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const identityPlan: Fragment = {
  name: 'identity_plan',
  render: () =>
    tagged(
      'identity',
      'You help the owner of a workspace to make plans, trees of tasks, and to have them done. You never do a task yourself in this conversation: you answer with a few words and with actions, which are checked and carried out for you.',
    ),
}
