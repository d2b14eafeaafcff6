import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

/** What an answer looks like; the same for every session that is bound, and for every one that is not. */
export const planReply: Fragment = {
  name: 'plan_reply',
  render: ({ plan }) =>
    plan &&
    [
      tagged('reply_schema', plan.reply.schema),
      tagged('actions', plan.reply.actions),
      tagged('guidelines', plan.reply.guidelines),
    ].join('\n\n'),
}
