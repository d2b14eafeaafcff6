import { z, type Decision, type Mode, type RoomFacts } from 'parley/extension'

interface State {
  /** How often everybody has spoken. */
  laps: number
  /** How often everybody is to speak. */
  of: number
}

/** Agents speak one after another, in seating order, for the chosen number of laps. */
export const roundTable: Mode<State> = {
  name: 'round_table',
  label: { en: 'Round table', zh: '圆桌' },
  icon: 'circle',
  description: { en: 'Everybody speaks in turn.', zh: '大家轮流发言。' },
  minAgents: 2,
  maxAgents: 8,
  window: { preset: 'last-20' },
  options: z.strictObject({ laps: z.int().min(1).max(5).optional() }),
  state: z.strictObject({ laps: z.int(), of: z.int() }),
  usesMemory: true,
  begin: (_room, { laps = 1 }) => ({ laps: 0, of: Number(laps) }),
  rules: () => 'You sit at a round table. Speak once when it is your turn, in at most three sentences.',
  describe: (_room, { laps, of }) => `This is lap ${laps + 1} of ${of}.`,
  view: (_room, state) => ({ ...state }),
  onInput: (room, { of }) => ask(room, { laps: 0, of }, 0),
  onAnswers(room, state, [answer]) {
    const next = room.agents.findIndex(({ name }) => name === answer!.agent) + 1
    const statements = [{ answerOf: answer!.agent }]
    if (next < room.agents.length) return { ...ask(room, state, next), statements }
    const laps = state.laps + 1
    if (laps < state.of) return { ...ask(room, { ...state, laps }, 0), statements }
    return {
      state: { ...state, laps },
      statements: [...statements, { text: 'The table was round.' }],
      asks: [],
      routing: { reason: 'nobody', text: 'Everybody has spoken.', mentions: [] },
    }
  },
}

function ask({ agents }: RoomFacts, state: State, place: number): Decision<State> {
  const { name } = agents[place]!
  return {
    state,
    statements: [],
    asks: [{ agent: name }],
    routing: { reason: 'mode', text: `It is the turn of ${name}.`, mentions: [] },
  }
}
