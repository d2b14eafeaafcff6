import { tagged, type Fragment } from '../fragment.ts'

/**
 * For a background session that receives a message after its end. What it received at its beginning stays as it was
 * sent, so this has to state what of it no longer holds.
 */
export const taskState: Fragment = {
  name: 'task_state',
  render: ({ taskState: state }) => tagged('task_state', state && texts[state]),
}

const texts = {
  over: 'The task is over and its result was handed in. Somebody talks to you now and reads what you say: answer in plain words, and ask where something is unclear. set_result is not there any more; do not call it.',
  again:
    'There is work again: what was asked for last. Nobody reads along. When you are done, call set_result once with the whole result of it.',
}
