import { preambleTags } from '../../protocol/prompt-tags.ts'
import { tagged, type Fragment } from '../fragment.ts'

/** The description of a background session by its starter; recipes that do not accept it never render it. */
export const callerPreamble: Fragment = {
  name: 'caller_preamble',
  render: (context) => tagged('caller_preamble', context.callerPreamble, { holds: preambleTags }),
}
