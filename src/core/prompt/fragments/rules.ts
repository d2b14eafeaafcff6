import { tagged, type Fragment } from '../fragment.ts'

/** Each rule stands in a tag of its own, which `core/context/rule.ts` makes. */
export const rules: Fragment = {
  name: 'rules',
  render: (context) => tagged('rules', context.rules, { holds: ['rules', 'imported'] }),
}
