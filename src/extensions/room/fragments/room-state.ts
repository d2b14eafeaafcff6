import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const roomState: Fragment = {
  name: 'room_state',
  render: ({ seat }) => seat && tagged('room_state', seat.state),
}
