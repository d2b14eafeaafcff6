import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const identityWorkflow: Fragment = {
  name: 'identity_workflow',
  render: () =>
    tagged(
      'identity',
      'You are an expert who designs workflows. Together with the owner you create or change one workflow definition; you change it through your tools and explain what you changed.',
    ),
}
