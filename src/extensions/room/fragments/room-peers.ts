import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const roomPeers: Fragment = {
  name: 'room_peers',
  render: ({ seat }) => seat && tagged('peers', seat.peers),
}
