import { preambleTags } from '../../protocol/prompt-tags.ts'
import { tagged, type Fragment } from '../fragment.ts'

/** What whoever started a background session says about it; recipes that do not accept it never render it. */
export const callerPreamble: Fragment = {
  name: 'caller_preamble',
  render: (context) => tagged('caller_preamble', context.callerPreamble, { holds: preambleTags }),
}
