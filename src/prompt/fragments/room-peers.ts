import { tagged, type Fragment } from '../fragment.ts'

export const roomPeers: Fragment = {
  name: 'room_peers',
  render: ({ seat }) => seat && tagged('peers', seat.peers),
}
