import { tagged, type Fragment } from '../fragment.ts'

export const planList: Fragment = {
  name: 'plan_list',
  render: ({ planList: list }) => tagged('plan_list', list),
}
