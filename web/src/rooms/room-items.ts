import type { Message } from '../../../src/client/index.ts'
import type { Round, RoundTurn, Routing } from '../../../src/extensions/room/protocol/room.ts'
import type { ShownMessage } from '../session/message-view.tsx'
import { withPlainLines } from './plain-lines.ts'
import type { LiveRound, LiveTurn, RoomDraft } from './room-fold.ts'

/** One agent in a round, however it was learned of. */
export interface ShownTurn {
  agent: string
  status: RoundTurn['status']
  /** What it says for all to hear: stored, or coming. */
  message?: ShownMessage
  /** What it says is not for all. */
  isPrivate: boolean
  /** What it said where not all can hear, as far as it may be seen here. */
  whisper?: string
  /** What a person said to it alone. */
  heard?: RoundTurn['whisper']
  error?: RoundTurn['error']
  /** Of the session in which it answered, for the inspector. */
  runId?: string
}

export interface ShownRound {
  /** None when no more is known than what was said in it. */
  routing?: Routing
  turns: readonly ShownTurn[]
  /** It goes on. */
  isOpen: boolean
}

/** What stands in the conversation: something a person or the room said, or a round of agents. */
export type RoomItem =
  | { id: string; kind: 'message'; message: ShownMessage }
  | { id: string; kind: 'round'; round: ShownRound }

interface KnownRound extends ShownRound {
  key: string
  createdAt?: string
  messageIds: readonly string[]
}

interface Sources {
  /** The log, as far as it was read, oldest first. */
  messages: readonly Message[]
  /** As the server keeps them, in any order. */
  rounds: readonly Round[]
  draft?: RoomDraft
}

/**
 * The conversation as it is shown. Having watched a round shows the same as having opened it later: what is in the log
 * comes from there, the rest from what was told.
 */
export function toRoomItems({ messages, rounds, draft }: Sources): RoomItem[] {
  const known = knownRounds(rounds, draft)
  const roundOf = findRounds(known)
  const items: RoomItem[] = []
  const shown = new Set<KnownRound>()
  let open: OpenAnswers | undefined
  for (const stored of messages) {
    const message = stored.role === 'assistant' ? withPlainLines(stored) : stored
    if (!isOfAgent(message)) {
      open = undefined
      items.push({ id: message.id, kind: 'message', message })
      continue
    }
    const round = roundOf(message)
    const number = message.metadata?.round
    if (open && open.round === round && open.number === number) open.said.push(message)
    else {
      // what the room said in between parts a round; who was asked is told once
      const asked = round && shown.has(round) ? undefined : round
      open = { round, asked, number, said: [message], id: asked?.key ?? `answers-${message.id}` }
      items.push({ id: open.id, kind: 'round', round: { turns: [], isOpen: false } })
      if (round) shown.add(round)
    }
    items[items.length - 1] = { id: open.id, kind: 'round', round: withAnswers(open.asked, open.said) }
  }
  return insertSilent(
    items,
    known.filter((round) => !shown.has(round)),
    messages,
  )
}

/** Answers that follow one another in the log, of one round. */
interface OpenAnswers {
  id: string
  round?: KnownRound
  asked?: KnownRound
  number: unknown
  said: Message[]
}

const isOfAgent = ({ role, metadata }: Message) => role === 'assistant' && typeof metadata?.agent === 'string'

function knownRounds(rounds: readonly Round[], draft: RoomDraft | undefined): KnownRound[] {
  const all = new Map(rounds.map((round) => [keyOf(round.runId, round.number), fromStored(round)]))
  for (const live of draft?.rounds ?? []) {
    const key = keyOf(draft!.runId, live.number)
    const stored = all.get(key)
    if (!stored || stored.isOpen) all.set(key, fromLive(key, live, stored))
  }
  return [...all.values()]
}

const keyOf = (runId: string, number: number) => `${runId}:${number}`

const fromStored = (round: Round): KnownRound => ({
  key: keyOf(round.runId, round.number),
  routing: round.routing,
  turns: round.turns.map(({ agent, status, text, error, runId, ...turn }) => ({
    agent,
    status,
    isPrivate: turn.private === true,
    ...(text !== undefined && turn.private && { whisper: text }),
    ...(turn.whisper && { heard: turn.whisper }),
    ...(error && { error }),
    ...(runId !== undefined && { runId }),
  })),
  isOpen: round.finishedAt === undefined,
  createdAt: round.createdAt,
  messageIds: round.messageIds,
})

const fromLive = (key: string, round: LiveRound, stored: KnownRound | undefined): KnownRound => ({
  key,
  routing: round.routing,
  turns: round.turns.map((turn) => fromLiveTurn(`${key}:${turn.agent}`, turn)),
  isOpen: round.turns.some(({ status }) => status === 'asked'),
  ...(stored?.createdAt !== undefined && { createdAt: stored.createdAt }),
  messageIds: [],
})

function fromLiveTurn(id: string, turn: LiveTurn): ShownTurn {
  const { agent, status, isPrivate, error, draft, text, runId } = turn
  const isSilent = status === 'skipped' || (isPrivate && draft.parts.length === 0)
  return {
    agent,
    status,
    isPrivate,
    ...(!isSilent && {
      message: {
        id,
        role: 'assistant',
        parts: draft.parts,
        retry: draft.retry,
        isResuming: draft.isResuming,
        isComing: status === 'asked',
        metadata: { agent, ...(error && { error }), ...(status === 'stopped' && { stopped: true }) },
      },
    }),
    ...(text !== undefined && isPrivate && { whisper: text }),
    ...(error && { error }),
    ...(runId !== undefined && { runId }),
  }
}

/** To which round a message of the log belongs. */
function findRounds(known: readonly KnownRound[]): (message: Message) => KnownRound | undefined {
  const byMessage = new Map<string, KnownRound>()
  const byRun = new Map<string, KnownRound>()
  for (const round of known) {
    for (const id of round.messageIds) byMessage.set(id, round)
    for (const { runId } of round.turns) if (runId !== undefined) byRun.set(runId, round)
  }
  return ({ id, metadata }) => byMessage.get(id) ?? byRun.get(String(metadata?.runId))
}

/** Those who were asked, in their order, with what they said; without a round those who said something. */
function withAnswers(round: KnownRound | undefined, said: readonly Message[]): ShownRound {
  const left = [...said]
  const take = (agent: string) => {
    const index = left.findIndex(({ metadata }) => metadata?.agent === agent)
    return index === -1 ? undefined : left.splice(index, 1)[0]
  }
  const turns = (round?.turns ?? []).map((turn): ShownTurn => {
    // what all hear of a private answer stands beside it
    const message = turn.isPrivate ? undefined : take(turn.agent)
    return message ? { ...turn, message, status: turn.status === 'asked' ? 'said' : turn.status } : turn
  })
  return {
    ...(round?.routing && { routing: round.routing }),
    turns: [...turns, ...left.map(toTurn)],
    isOpen: round?.isOpen === true && turns.some(({ status }) => status === 'asked'),
  }
}

function toTurn(message: Message): ShownTurn {
  const { agent, error, stopped, runId } = message.metadata ?? {}
  return {
    agent: String(agent),
    status: error ? 'failed' : stopped === true ? 'stopped' : 'said',
    message,
    isPrivate: false,
    ...(typeof runId === 'string' && { runId }),
  }
}

/** Rounds of which nothing is in the log stand where they happened; those that go on at the end. */
function insertSilent(
  items: RoomItem[],
  silent: readonly KnownRound[],
  messages: readonly Message[],
): RoomItem[] {
  const first = messages[0]?.createdAt ?? ''
  const times = new Map(messages.map(({ id, createdAt }) => [id, createdAt]))
  const timeOf = (item: RoomItem) =>
    item.kind === 'message' ? item.message.createdAt : firstTime(item.round, times)
  const result = [...items]
  const ordered = silent.toSorted((one, two) => (one.createdAt ?? '~').localeCompare(two.createdAt ?? '~'))
  const placed = new Map<RoomItem, string>()
  for (const round of ordered) {
    const { key, createdAt, messageIds, isOpen } = round
    // further up than what was read, or undone since
    if (createdAt !== undefined && (createdAt < first || (messageIds.length > 0 && !isOpen))) continue
    const item: RoomItem = { id: key, kind: 'round', round: withAnswers(round, []) }
    placed.set(item, createdAt ?? '~')
    const before =
      createdAt === undefined
        ? result.length - 1
        : result.findLastIndex((other) => (placed.get(other) ?? timeOf(other) ?? '') <= createdAt)
    result.splice(before + 1, 0, item)
  }
  return result
}

const firstTime = ({ turns }: ShownRound, times: ReadonlyMap<string, string>) =>
  turns.flatMap(({ message }) => (message ? (times.get(message.id) ?? []) : []))[0]
