import type { Chunk, RunEvent } from '../../../src/core/protocol/chunk.ts'
import { emptyAnswer, foldAnswer, type AnswerDraft } from '../../../src/client/index.ts'
import type { RoundTurn, Routing } from '../../../src/extensions/room/protocol/room.ts'

/** One agent that was asked, and what it has said so far. */
export interface LiveTurn {
  agent: string
  status: RoundTurn['status']
  /** The run that answers: what it leaves in the log names it. */
  runId?: string
  isPrivate: boolean
  /** What it said in private, once that is over. */
  text?: string
  error?: RoundTurn['error']
  draft: AnswerDraft
}

export interface LiveRound {
  number: number
  routing: Routing
  turns: readonly LiveTurn[]
}

/** What goes on in a room: the rounds of one input. */
export interface RoomDraft {
  runId: string
  rounds: readonly LiveRound[]
  /** Where the mode stands since, when that has changed. */
  room?: { mode: string; state: Record<string, unknown> }
  metadata?: Record<string, unknown>
  isFinished: boolean
}

export const emptyRoomDraft = (runId: string): RoomDraft => ({ runId, rounds: [], isFinished: false })

/**
 * Folds the one stream of a room into what each agent says in each round. What did not change stays the same object, so
 * that an agent that is silent is not drawn again while another speaks.
 */
export function foldRoom(draft: RoomDraft, events: readonly RunEvent[]): RoomDraft {
  const rounds = [...draft.rounds]
  const next: RoomDraft = { ...draft, rounds }
  let said = new Map<string, RunEvent[]>()
  const tell = () => {
    if (said.size > 0) changeRound(rounds, rounds.at(-1)?.number, (round) => speak(round, said))
    said = new Map()
  }
  for (const event of events) {
    const speakers = speakersOf(event.chunk, rounds.at(-1))
    if (speakers === undefined) {
      tell()
      apply(next, rounds, event.chunk)
    } else for (const agent of speakers) said.set(agent, [...(said.get(agent) ?? []), event])
  }
  tell()
  return next
}

/**
 * Whose words it is; undefined for what is told of the room. Part ids begin with the name of who speaks, and a name holds
 * no colon.
 */
function speakersOf(chunk: Chunk, round: LiveRound | undefined): readonly string[] | undefined {
  const all = round?.turns.map(({ agent }) => agent) ?? []
  if (chunk.type === 'data-retry' || chunk.type === 'data-resuming') {
    const { agent } = chunk.data as { agent?: string }
    return agent === undefined ? all : [agent]
  }
  // names the ask alone, which is of one of them
  if (chunk.type === 'tool-approval-response') return all
  const id = 'toolCallId' in chunk ? chunk.toolCallId : 'id' in chunk ? chunk.id : undefined
  if (id === undefined || chunk.type.startsWith('data-')) return undefined
  return [id.slice(0, Math.max(0, id.indexOf(':')))]
}

function apply(draft: RoomDraft, rounds: LiveRound[], chunk: Chunk): void {
  if (chunk.type === 'data-round') beginRound(draft.runId, rounds, chunk.data as RoundData)
  else if (chunk.type === 'data-agent') {
    const data = chunk.data as AgentData
    changeRound(rounds, data.round, (round) => changeTurn(round, data.agent, (turn) => toldOf(turn, data)))
  } else if (chunk.type === 'data-room') draft.room = chunk.data as RoomDraft['room']
  else if (chunk.type === 'finish') {
    draft.metadata = chunk.messageMetadata
    draft.isFinished = true
  }
}

interface RoundData {
  number: number
  routing: Routing
  agents: readonly string[]
}

/** Told again after a restart, the round goes on: nobody is asked twice. */
function beginRound(runId: string, rounds: LiveRound[], { number, routing, agents }: RoundData): void {
  const known = rounds.findIndex((round) => round.number === number)
  const before = rounds[known]?.turns ?? []
  const turns = agents.map(
    (agent): LiveTurn =>
      before.find((turn) => turn.agent === agent) ?? {
        agent,
        status: 'asked',
        isPrivate: false,
        draft: emptyAnswer(runId),
      },
  )
  const round = { number, routing, turns }
  if (known === -1) rounds.push(round)
  else rounds[known] = round
}

interface AgentData {
  agent: string
  round: number
  status: LiveTurn['status']
  runId?: string
  private?: boolean
  text?: string
  error?: RoundTurn['error']
}

/** Asked anew, as after a restart, it is heard from its beginning. */
const toldOf = (turn: LiveTurn, { status, ...told }: AgentData): LiveTurn => ({
  ...turn,
  status,
  isPrivate: told.private === true,
  ...(status === 'asked' && { draft: emptyAnswer(turn.draft.runId) }),
  ...(told.runId !== undefined && { runId: told.runId }),
  ...(told.text !== undefined && { text: told.text }),
  ...(told.error !== undefined && { error: told.error }),
})

const speak = (round: LiveRound, said: ReadonlyMap<string, RunEvent[]>): LiveRound => ({
  ...round,
  turns: round.turns.map((turn) => {
    const events = said.get(turn.agent)?.filter(({ chunk }) => !turn.isPrivate || !isPublished(chunk))
    return events?.length ? { ...turn, draft: foldAnswer(turn.draft, events) } : turn
  }),
})

/** Words for all to hear that a mode made of a private answer: they are a message of their own, and in the log. */
const isPublished = (chunk: Chunk) => 'id' in chunk && /^[^:]*:msg_/.test(chunk.id ?? '')

function changeRound(
  rounds: LiveRound[],
  number: number | undefined,
  change: (round: LiveRound) => LiveRound,
): void {
  const index = rounds.findIndex((round) => round.number === number)
  if (index !== -1) rounds[index] = change(rounds[index]!)
}

const changeTurn = (round: LiveRound, agent: string, change: (turn: LiveTurn) => LiveTurn): LiveRound => ({
  ...round,
  turns: round.turns.map((turn) => (turn.agent === agent ? change(turn) : turn)),
})

/** The runs whose answers are for all to hear: what they leave in the log names them. */
export const answeringRuns = ({ rounds }: RoomDraft): string[] =>
  rounds.flatMap(({ turns }) =>
    turns.flatMap(({ runId, status, isPrivate }) =>
      runId === undefined || isPrivate || status === 'asked' || status === 'skipped' ? [] : runId,
    ),
  )
