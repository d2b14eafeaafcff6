import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { SessionType } from '../../core/chat/session-types.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { availableSkills } from '../../core/prompt/fragments/available-skills.ts'
import { env } from '../../core/prompt/fragments/env.ts'
import { rules } from '../../core/prompt/fragments/rules.ts'
import { skills } from '../../core/prompt/fragments/skills.ts'
import { inputTail } from '../../core/prompt/recipe.ts'
import { isRoom, isSeat } from './protocol/session-kinds.ts'
import { newestRun } from '../../core/runs/newest-run.ts'
import { requirePerson } from './speakers.ts'
import { appendWords } from './append-words.ts'
import { identityRoom, roomPeers, roomRules, roomState, roomTask } from './fragments.ts'
import { readSeatForm } from './seat-reply.ts'
import { admitToRoom } from './admit-input.ts'
import { sumSessions, type SessionTotals } from '../../core/sessions/session-usage.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** Sessions in which several agents answer. */
export const roomType: SessionType = {
  name: 'room_log',
  appliesTo: isRoom,
  hasNoPrompt:
    'A room has no prompt of its own: each of its agents has a session, which the rounds of the room name.',
  // a newcomer sees its end
  window: { preset: 'last-20' },
  speaker: 'room',
  mirror: ({ agents, room }) => ({ agents, room }),
  hasSeveralVoices: true,
  append: appendWords,
  sumUsage: sumSeats,
  admit: admitToRoom,
  checkEdit(session, { room }, keyName) {
    if (room) requirePerson(session, room.from, keyName)
  },
  wake: ({ id }) => ({ sessionId: id, kind: 'room' }),
}

/** A room as one of its agents sees it. */
export const seatType: SessionType = {
  name: 'room',
  appliesTo: isSeat,
  isPart: true,
  recipe: {
    sessionStatic: [identityRoom, rules, env, roomPeers, roomRules, availableSkills, skills],
    acceptCallerPreamble: false,
    perTurnDynamic: [roomState, ...inputTail, roomTask],
  },
  replyForm: (_session, input) => readSeatForm(input),
  isWithoutTools: ({ seat }) => seat?.withoutTools ?? false,
  // what an agent changes is undone with its room
  changesIn: ({ seat }) => seat && { sessionId: seat.roomId, messageSeq: seat.roomSeq },
  // an agent answers in its room, not by itself; there is none when the room is gone
  wake({ parentId, toolMeta }) {
    const wakes = toolMeta?.label
    return parentId === undefined
      ? undefined
      : {
          sessionId: parentId,
          kind: 'room',
          input: wakes === undefined ? {} : { room: { wakes } },
          isSame: ({ room }) => room?.wakes === wakes,
        }
  },
  // its newest persona and rules
  async previewInput(store, session) {
    const input = (await newestRun(store, session.scope, session.id))?.input as TurnInput | undefined
    return { seat: input?.seat }
  },
}

export const seatSource: PromptSource = {
  name: 'seat',
  appliesTo: isSeat,
  load: (_session, { seat }) => ({ seat }),
  identity: ({ seat }) => seat && `${seat.persona}\n${seat.peers}\n${seat.rules}`,
}

/** What the agents of a room used is used by the room. */
export async function sumSeats(
  store: StoreOperations,
  roomId: string,
  own: SessionTotals,
): Promise<SessionTotals> {
  const seats = await Promise.all(
    (await store.listSeats(roomId)).map(({ sessionId }) => store.getSessionUsage(sessionId)),
  )
  return sumSessions([own, ...seats.filter((usage) => usage !== undefined)])
}
