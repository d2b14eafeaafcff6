import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planBinding: Fragment = {
  name: 'plan_binding',
  render: ({ plan }) => tagged('plan_binding', plan?.reply.binding),
}
