import { freeChat } from './free-chat.ts'
import { anyMode, type Mode } from './mode.ts'
import { quiz } from './quiz.ts'
import { werewolf } from './werewolf.ts'
import { workflow } from './workflow.ts'

/** Every mode there is; the first one is that of rooms that name none. */
export const modes: readonly Mode[] = [anyMode(freeChat), anyMode(workflow), anyMode(werewolf), anyMode(quiz)]
