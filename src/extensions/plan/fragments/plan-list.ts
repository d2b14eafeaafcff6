import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planList: Fragment = {
  name: 'plan_list',
  render: ({ plan }) => tagged('plan_list', plan?.list),
}
