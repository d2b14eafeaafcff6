import type { RunKind } from '../../core/runs/run-engine.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'

/** What the runs of a room are among the inputs of its session. */
export const roomInputs: Pick<RunKind, 'takesInput' | 'canBeSteered' | 'answers'> = {
  takesInput({ input }) {
    const { isWake, room } = input as TurnInput
    return isWake !== true && room?.advance === undefined
  },
  // several agents answer: there is no one turn that could take in what is said meanwhile
  canBeSteered: false,
  // as its run recorded at its end
  async answers(store, { scope, sessionId, outcome }) {
    const { messageIds = [] } = (outcome ?? {}) as { messageIds?: string[] }
    const found = await Promise.all(messageIds.map((id) => store.getMessage(scope, sessionId, id)))
    return found.filter((message) => message !== undefined)
  },
}
