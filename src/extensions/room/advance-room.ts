/**
 * Advances a room: one run for each input. It gets a decision of the mode, stores it with the runs of the agents to ask,
 * waits for their answers, and calls the mode again, until nobody is left to be asked.
 *
 * Everything it knows is stored with a round. After a crash the next owner of the run continues the open round: its
 * agents were asked in the transaction that opened it, so none is asked twice and none is left out.
 */
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { orchestrate, type Ending, type Advanced } from '../../core/orchestrator/orchestrate.ts'
import type { RunKind } from '../../core/runs/run-engine.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import { HandOver } from '../../core/runs/stop-reasons.ts'
import { isLeaseLost } from '../../core/store/queries/claims.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { StoredTurn } from './read-answers.ts'
import type { RoomDeps } from './room-service.ts'
import { endEarly, endingOf, settle, stoppedBy, toFinal, toLast } from './room-ending.ts'
import type { FirstDecision } from './decide-ask.ts'
import { decideFirst } from './first-decision.ts'
import { claimRoom, type ClaimedRoom, type ActiveRoom, type RoomRound } from './active-round.ts'
import type { Decision } from './modes/mode.ts'
import { toMessages } from './publish-messages.ts'
import { isHidden, openRoom, putState, type Room } from './open-room.ts'
import { askAgent } from './ask-agent.ts'
import { gatherAnswers, stopTurns, emitTurn } from './seat-turns.ts'

// no game needs as many rounds; a mode that never ends must not run forever
const maxRounds = 1_000

/**
 * Nobody else relays the answers of agents to the stream, so a room keeps its lease while they answer, and one step
 * lasts until nobody is left to be asked.
 */
export const createRoomAdvance = (deps: RoomDeps): RunKind => ({
  ...orchestrate<ClaimedRoom & { room?: Room; refused?: ParleyError }, Ending>({
    store: deps.store,
    clock: deps.clock,
    async load(execution) {
      const claimed = await claimRoom(deps, execution)
      try {
        return { ...claimed, room: await openRoom(deps.store, deps, claimed.session) }
      } catch (error) {
        if (!isRefusal(error)) throw error
        return { ...claimed, refused: error }
      }
    },
    async advance({ room, refused, ...claimed }) {
      if (!room) throw refused
      return runRounds(deps, { ...claimed, room })
    },
    toEnd: (ending) => ending,
    isRefusal,
    // who is to answer is stored with the round, also of one that was stopped before: `advance` asks them
    seesStops: true,
    async stopBelow({ room, ...claimed }) {
      // one that cannot begin has asked nobody
      if (room) await stopTurns(deps, { ...claimed, room })
    },
    settle: (active, end) => endEarly(deps, active, end),
  }),
  ...roomInputs,
})

/** How the runs of a room behave among the inputs of its session. */
const roomInputs: Pick<RunKind, 'takesInput' | 'canBeSteered' | 'answers'> = {
  takesInput({ input }) {
    const { isWake, room } = input as TurnInput
    return isWake !== true && room?.advance === undefined
  },
  // several agents answer, so there is no single turn to steer
  canBeSteered: false,
  // the messages that the run recorded at its end
  async answers(store, { scope, sessionId, outcome }) {
    const { messageIds = [] } = (outcome ?? {}) as { messageIds?: string[] }
    const found = await Promise.all(messageIds.map((id) => store.getMessage(scope, sessionId, id)))
    return found.filter((message) => message !== undefined)
  },
}

/** What a mode refuses is an outcome; that the run has another owner, or the store is away, is not. */
const isRefusal = (error: unknown): error is ParleyError =>
  error instanceof ParleyError &&
  (error.code === 'invalid_request' || (error.code === 'conflict' && !isLeaseLost(error)))

async function runRounds(deps: RoomDeps, active: ActiveRoom): Promise<Advanced<Ending>> {
  const open = active.rounds.at(-1)
  let current = open ?? (await applyDecision(deps, active, await decideFirst(deps, active)))
  if (open) emitRound(active, open)
  while (current) {
    const isWhole = await gatherAnswers(deps, active, current)
    if (active.signal.reason instanceof HandOver) throw active.signal.reason
    if (!isWhole) return { end: stoppedBy(active) }
    const spent = current.turns.find((turn) => isOverspent(active, turn))
    if (spent) return failed('budget_exhausted', spent.answer!.error!.message)
    if (active.rounds.length >= maxRounds)
      return failed('room_loop', `The room went on for ${maxRounds} rounds without an end.`)
    const next = await decideNext(deps, active, current)
    // commands were stopped
    if (!next) return { end: stoppedBy(active) }
    current = await applyDecision(deps, active, next, current)
  }
  return 'ended'
}

const failed = (code: string, message?: string) => ({ end: { status: 'failed' as const, code, message } })

/** Whether an agent stopped because the budget of the room is used up; its own token budget does not count. */
function isOverspent({ room }: ActiveRoom, { agent, answer, usage = {} }: StoredTurn): boolean {
  if (!room.session.room?.budget || answer?.error?.code !== 'budget_exhausted') return false
  const own = room.facts.agents.find(({ name }) => name === agent)?.limits?.tokenBudget ?? Infinity
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) < own
}

/** What the mode makes of the round that just ended; undefined when it was stopped before. */
async function decideNext(
  deps: RoomDeps,
  { room, rounds, run, signal, log }: ActiveRoom,
  { turns, commands, routing }: RoomRound,
): Promise<Decision<Record<string, unknown>> | undefined> {
  const { mode, facts, state } = room
  const answers = turns.map(({ answer }) => answer!)
  if (commands && mode.onCommands) {
    const outcomes = await deps.runCommands(room.session, commands, signal).catch((error: unknown) => {
      if (!signal.aborted || signal.reason instanceof HandOver) throw error
    })
    if (!outcomes) return undefined
    log.emit({ type: 'data-commands', id: `commands-${rounds.length}`, data: { outcomes } })
    return mode.onCommands(facts, state, outcomes)
  }
  // answers to results of tasks and to asides are published, but are no step of the mode
  if ((run.input as TurnInput).room?.wakes !== undefined || turns.some(({ ask }) => ask.isAside))
    return {
      state,
      statements: turns
        .filter(({ ask, answer }) => !ask.whisper && answer!.status !== 'skipped')
        .map(({ agent }) => ({ answerOf: agent })),
      asks: [],
      routing: { ...routing, reason: 'nobody', text: '' },
    }
  const counted = rounds.reduce((sum, round) => sum + round.turns.filter(({ ask }) => !ask.selects).length, 0)
  return mode.onAnswers(facts, state, answers, { rounds: rounds.length, answers: counted })
}

/** Stores a decision and, when there was one before, the end of its round; answers the round that it opens. */
async function applyDecision(
  deps: RoomDeps,
  active: ActiveRoom,
  decision: FirstDecision,
  closing?: RoomRound,
): Promise<RoomRound | undefined> {
  const { run, lease, log, room, rounds } = active
  const { session } = room
  const number = rounds.length + 1
  const before = rounds.reduce((sum, { messageIds }) => sum + messageIds.length, 0)
  const place = { runId: run.id, round: closing?.number ?? number, before }
  const published = await toMessages(deps.store, session, place, decision.statements, closing?.turns ?? [])
  const isLast = decision.asks.length === 0 && !decision.commands?.length
  const ids = published.messages.map(({ id }) => id!)
  for (const chunk of published.chunks) log.emit(chunk)
  const opens: RoomRound = {
    runId: run.id,
    number,
    roomId: session.id,
    routing: decision.routing,
    eventSeq: 0,
    turns: [],
    ...(decision.commands?.length && { commands: [...decision.commands] }),
    messageIds: closing ? [] : ids,
    createdAt: deps.clock.now(),
  }
  const hasRound = !isLast || !closing || hasNews(decision)
  const ending = isLast ? endingOf(active) : undefined
  const view = emitState(active, decision.state)
  // a mention that nobody answers is reported
  if (isLast && !closing && hasNews(decision)) emitRound(active, opens)
  const begins: (() => void)[] = []
  const store = async (tx: StoreOperations) => {
    begins.length = 0
    if (ending) await tx.finishRun(lease, toFinal(active, ending, ids))
    else await tx.noteProgress(lease)
    if (published.messages.length > 0) await tx.appendMessages(run.scope, session.id, published.messages)
    opens.logSeq = await putState(tx, deps, room, decision.state)
    if (closing) await tx.finishRound({ ...closing, messageIds: [...closing.messageIds, ...ids] })
    if (number === 1 && !isLast && session.room?.budget)
      await tx.openBudget({ id: run.id, depth: run.depth }, undefined, session.room.budget)
    opens.turns = await askAll(
      tx,
      deps,
      { ...active, room: { ...room, state: decision.state } },
      decision,
      begins,
    )
    opens.eventSeq = log.lastSeq
    if (hasRound) await tx.addRound(opens)
    if (hasRound && isLast) await tx.finishRound(opens)
    if (ending) await settle(tx, deps, active, ending)
  }
  await log.commit(store, ending && toLast(ending))
  if (closing) closing.messageIds.push(...ids)
  room.state = decision.state
  room.session = { ...session, modeState: view }
  for (const start of begins) start()
  if (isLast) return undefined
  rounds.push(opens)
  emitRound(active, opens)
  return opens
}

/** Emits the public view of the mode's state when it has changed. */
function emitState({ log, room }: ActiveRoom, state: Record<string, unknown>): Record<string, unknown> {
  const { mode, facts, session } = room
  const view = mode.view(facts, state)
  if (JSON.stringify(view) !== JSON.stringify(session.modeState))
    log.emit({ type: 'data-room', data: { mode: mode.name, state: view } })
  return view
}

/** Whether a decision that asks nobody still has something to report. */
const hasNews = ({ routing }: FirstDecision) =>
  routing.stopped !== undefined || (routing.left?.length ?? 0) > 0

async function askAll(
  tx: StoreOperations,
  deps: RoomDeps,
  active: ActiveRoom,
  { asks, carried = [] }: FirstDecision,
  begins: (() => void)[],
): Promise<StoredTurn[]> {
  const turns: StoredTurn[] = []
  for (const one of asks) {
    const kept = carried.find(({ agent }) => agent === one.agent)
    if (kept) {
      turns.push(kept)
      continue
    }
    const asked = await askAgent(tx, deps, active.room, active, one)
    if (asked) begins.push(asked.begin)
    turns.push({
      agent: one.agent,
      ask: one,
      ...(asked && { sessionId: asked.sessionId, runId: asked.runId }),
    })
  }
  return turns
}

function emitRound({ log, room }: ActiveRoom, { number, routing, turns }: RoomRound): void {
  const shown = turns.filter(({ ask }) => !isHidden(room, ask))
  log.emit({
    type: 'data-round',
    id: `round-${number}`,
    data: { number, routing, agents: shown.map(({ agent }) => agent) },
  })
  for (const turn of shown) emitTurn(log, room, number, turn)
}
