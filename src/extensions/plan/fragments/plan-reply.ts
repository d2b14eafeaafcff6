import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

/** What an answer looks like; the same for every session that is bound, and for every one that is not. */
export const planReply: Fragment = {
  name: 'plan_reply',
  render: ({ planReply: reply }) =>
    reply &&
    [
      tagged('reply_schema', reply.schema),
      tagged('actions', reply.actions),
      tagged('guidelines', reply.guidelines),
    ].join('\n\n'),
}
