import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

/** Where a node stands in its plan, what came before it, and what is below it. */
export const planContext: Fragment = {
  name: 'plan_context',
  render: ({ planNode }) => tagged('plan_context', planNode),
}
