import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const planBinding: Fragment = {
  name: 'plan_binding',
  render: ({ planReply }) => tagged('plan_binding', planReply?.binding),
}
