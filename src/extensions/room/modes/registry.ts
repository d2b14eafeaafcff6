import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import { freeChat } from './free-chat.ts'
import { anyMode, type Mode } from './mode.ts'
import { quiz } from './quiz.ts'
import { werewolf } from './werewolf.ts'
import { workflow } from './workflow.ts'

/** Those that come with Parley; the first one is that of rooms that name none. */
export const builtInModes: readonly Mode[] = [
  anyMode(freeChat),
  anyMode(workflow),
  anyMode(werewolf),
  anyMode(quiz),
]

/** What extensions that need rooms add to them, while they are created. */
export interface RoomModes {
  registerMode<State extends object>(mode: Mode<State>): void
}

/** The modes of one Parley. */
export function createModes(taken: readonly string[]): RoomModes & { modes: readonly Mode[] } {
  const modes = [...builtInModes]
  return {
    modes,
    registerMode(mode) {
      const { name } = mode
      if (!/^[a-z][a-z\d_]{0,39}$/.test(name))
        throw invalidRequest(`A mode is a word of lower-case letters, digits and "_", not ${quote(name)}.`)
      if (taken.includes(name))
        throw invalidRequest(
          `${quote(name)} is the mode of sessions that are not rooms; name yours otherwise.`,
        )
      if (modes.some((one) => one.name === name))
        throw invalidRequest(`There are two modes of rooms named ${quote(name)}.`)
      modes.push(anyMode(mode))
    },
  }
}
