import { tagged, type Fragment } from '../../core/prompt/fragment.ts'

export const identityPlan: Fragment = {
  name: 'identity_plan',
  render: () =>
    tagged(
      'identity',
      'You help the owner of a workspace to make plans, trees of tasks, and to have them done. You never do a task yourself in this conversation: you answer with a few words and with actions, which are checked and carried out for you.',
    ),
}

export const planList: Fragment = {
  name: 'plan_list',
  render: ({ plan }) => tagged('plan_list', plan?.list),
}

export const planBinding: Fragment = {
  name: 'plan_binding',
  render: ({ plan }) => tagged('plan_binding', plan?.reply.binding),
}

export const planOutline: Fragment = {
  name: 'plan_outline',
  render: ({ plan }) => tagged('plan_outline', plan?.outline),
}

export const planResults: Fragment = {
  name: 'plan_results',
  tag: 'recent_results',
  render: ({ plan }) => tagged('recent_results', plan?.results),
}

/** The format of an answer; the same for all sessions with a plan, and for all without one. */
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

/** Where a node stands in its plan, what came before it, and what is below it. */
export const planContext: Fragment = {
  name: 'plan_context',
  render: ({ planNode }) => tagged('plan_context', planNode),
}
