import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planOutline: Fragment = {
  name: 'plan_outline',
  render: ({ planOutline: outline }) => tagged('plan_outline', outline),
}
