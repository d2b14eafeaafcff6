import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const memoryProfile: Fragment = {
  name: 'memory_profile',
  tag: 'memories',
  render: ({ memories = [] }) =>
    tagged('memories', memories.map(({ kind, text }) => `- (${kind}) ${text}`).join('\n')),
}
