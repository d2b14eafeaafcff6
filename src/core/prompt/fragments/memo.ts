import { stringify } from 'yaml'
import { tagged, type Fragment } from '../fragment.ts'

/** What is kept of messages that left the window. Stands before the window, and changes only when that is cut. */
export const memo: Fragment = {
  name: 'memo',
  render: ({ memo: kept }) =>
    kept && Object.keys(kept).length > 0
      ? tagged('memo', `What is worth knowing of earlier messages:\n${stringify(kept)}`)
      : undefined,
}
