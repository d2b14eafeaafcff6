import { tagged, type Fragment } from '../fragment.ts'

export const references: Fragment = {
  name: 'references',
  isForOneTurn: true,
  render: (context) => tagged('references', context.references, { holds: ['file', 'run'] }),
}
