import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const activeLocks: Fragment = {
  name: 'active_locks',
  render: ({ locks = [] }) =>
    tagged(
      'active_locks',
      locks
        .map(
          ({ resource, holder, reason }) =>
            `- ${resource} is held by ${holder}${reason ? ` (${reason})` : ''}`,
        )
        .join('\n'),
    ),
}
