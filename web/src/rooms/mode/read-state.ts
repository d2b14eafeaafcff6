/** What modes tell of themselves, as far as it is of the shape that is shown here: a mode may say more, or other things. */
type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const toText = (value: unknown) => (typeof value === 'string' ? value : undefined)
const toCount = (value: unknown) => (typeof value === 'number' ? value : undefined)
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const toTexts = (value: unknown) => toList(value).filter((item) => typeof item === 'string')

export interface WorkflowStanding {
  phase?: string
  round?: number
  maxRounds?: number
  nodes: readonly { node: string; label: string; agent?: string; status: 'done' | 'current' | 'pending' }[]
  mustFix: readonly string[]
  outcome?: string
  failure?: string
  isFinished: boolean
  tests: readonly { command: string; status: string; reason?: string; output?: string }[]
}

export function readWorkflow(state: Fields): WorkflowStanding {
  return {
    phase: toText(state.phase),
    round: toCount(state.round),
    maxRounds: toCount(state.maxRounds),
    nodes: toList(state.nodes).map((item) => {
      const { node, label, agent, status } = toFields(item)
      return {
        node: toText(node) ?? '',
        label: toText(label) ?? toText(node) ?? '',
        agent: toText(agent),
        status: status === 'done' || status === 'current' ? status : 'pending',
      }
    }),
    mustFix: toTexts(state.mustFix),
    outcome: toText(state.lastOutcome),
    failure: toText(toFields(state.failure).reason),
    isFinished: state.finished === true,
    tests: toList(state.tests).map((item) => {
      const { command, status, reason, output } = toFields(item)
      return {
        command: toText(command) ?? '',
        status: toText(status) ?? '',
        reason: toText(reason),
        output: toText(output),
      }
    }),
  }
}

export interface Ballots {
  round: number
  attempt: number
  ballots: readonly { player: string; target?: string }[]
  out?: string
  isTied: boolean
}

export interface WerewolfStanding {
  phase: string
  round: number
  aliveCount: number
  players: readonly { name: string; death?: { round: number; cause: string }; role?: string }[]
  votes: readonly Ballots[]
  winner?: string
}

export function readWerewolf(state: Fields): WerewolfStanding {
  const alive = toTexts(state.alive)
  const dead = toList(state.dead).map(toFields)
  const roles = toFields(state.roles)
  return {
    phase: toText(state.phase) ?? 'lobby',
    round: toCount(state.round) ?? 0,
    aliveCount: alive.length,
    players: toTexts(state.players).map((name) => {
      const death = dead.find(({ player }) => player === name)
      const role = toText(death?.role) ?? toText(roles[name])
      return {
        name,
        ...(death && { death: { round: toCount(death.round) ?? 0, cause: toText(death.cause) ?? '' } }),
        ...(role !== undefined && { role }),
      }
    }),
    votes: toList(state.votes).map((item) => {
      const { round, attempt, ballots, out, tied } = toFields(item)
      return {
        round: toCount(round) ?? 0,
        attempt: toCount(attempt) ?? 1,
        ballots: toList(ballots).map((ballot) => {
          const { player, target } = toFields(ballot)
          return { player: toText(player) ?? '', target: toText(target) }
        }),
        out: toText(out),
        isTied: tied !== undefined,
      }
    }),
    winner: toText(state.winner),
  }
}

export interface QuizStanding {
  phase: string
  topic?: string
  round: number
  rounds?: number
  questioner?: string
  question?: { text: string; options: readonly string[] }
  answered: number
  /** Best first; as many points, same rank. */
  scores: readonly { player: string; points: number; rank: number }[]
  results: readonly {
    round: number
    questioner: string
    question?: string
    answer?: string
    marks: readonly { player: string; answer?: string; points: number; reason: string }[]
  }[]
}

export function readQuiz(state: Fields): QuizStanding {
  const question = toFields(state.question)
  const text = toText(question.text)
  return {
    phase: toText(state.phase) ?? 'lobby',
    topic: toText(state.topic),
    round: toCount(state.round) ?? 0,
    rounds: toCount(state.rounds),
    questioner: toText(state.questioner),
    ...(text !== undefined && { question: { text, options: toTexts(question.options) } }),
    answered: toList(state.answered).length,
    scores: toRanking(toFields(state.scores)),
    results: toList(state.results).map((item) => {
      const result = toFields(item)
      return {
        round: toCount(result.round) ?? 0,
        questioner: toText(result.questioner) ?? '',
        question: toText(result.question),
        answer: toText(result.answer),
        marks: toList(result.marks).map((mark) => {
          const { player, answer, points, reason } = toFields(mark)
          return {
            player: toText(player) ?? '',
            answer: toText(answer),
            points: toCount(points) ?? 0,
            reason: toText(reason) ?? '',
          }
        }),
      }
    }),
  }
}

function toRanking(scores: Fields) {
  const ranked = Object.entries(scores)
    .map(([player, points]) => ({ player, points: toCount(points) ?? 0 }))
    .toSorted((one, two) => two.points - one.points)
  return ranked.map((row) => ({ ...row, rank: ranked.findIndex(({ points }) => points === row.points) + 1 }))
}
