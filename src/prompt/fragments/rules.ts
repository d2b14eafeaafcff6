import { tagged, type Fragment } from '../fragment.ts'

export const rules: Fragment = { name: 'rules', render: (context) => tagged('rules', context.rules) }
