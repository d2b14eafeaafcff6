import { tagged, type Fragment } from '../fragment.ts'

/** Rules that hold for certain paths only, when the input points at such a path. */
export const matchingRules: Fragment = {
  name: 'matching_rules',
  isForOneTurn: true,
  render: (context) => tagged('matching_rules', context.matchingRules, { holds: ['rules', 'imported'] }),
}
