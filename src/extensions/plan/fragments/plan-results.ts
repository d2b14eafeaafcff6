import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planResults: Fragment = {
  name: 'plan_results',
  tag: 'recent_results',
  render: ({ plan }) => tagged('recent_results', plan?.results),
}
