import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const identityRoom: Fragment = {
  name: 'identity_room',
  render: ({ seat }) => seat && tagged('identity', seat.persona),
}
