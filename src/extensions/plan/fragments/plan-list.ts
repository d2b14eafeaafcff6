import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planList: Fragment = {
  name: 'plan_list',
  render: ({ planList: list }) => tagged('plan_list', list),
}
