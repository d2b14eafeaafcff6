import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planOutline: Fragment = {
  name: 'plan_outline',
  render: ({ plan }) => tagged('plan_outline', plan?.outline),
}
