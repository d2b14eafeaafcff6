import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import type { RoomMode } from '../protocol/room.ts'
import type { Api } from '../../../core/command-line/command-group.ts'

/** JSON Schema of what a mode can begin with. */
export async function requireOptions(
  api: Api,
  mode: string,
  scope: string | undefined,
): Promise<RoomMode['options']> {
  const { items } = await api.rooms.modes({ scope })
  const found = items.find(({ name }) => name === mode)
  if (found) return found.options
  const known = items.map(({ name }) => name).join(', ')
  throw invalidRequest(`There is no mode ${quote(mode)}. Known modes: ${known}.`)
}
