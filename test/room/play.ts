import assert from 'node:assert/strict'
import { expect } from 'vitest'
import type { Agent } from '../../src/extensions/agents/protocol/agent.ts'
import type { Human, PlayerAsk } from '../../src/extensions/room/protocol/room.ts'
import type { Answer, Ask, Decision, Mode, RoomFacts } from '../../src/extensions/room/modes/mode.ts'

/** What an agent answers with; undefined: nothing comes back at all. */
export type Reply = Partial<Omit<Answer, 'agent'>> | undefined
/** What a person does: says something, acts, or asks to go on without them. */
export type Deed = { chat: string } | { action: Record<string, unknown> } | { pass: true }

export interface Players {
  reply(ask: Ask, view: Record<string, unknown>): Reply
  /** Default: the host goes on without them. */
  deed?(ask: PlayerAsk): Deed
}

/** Something that one player alone was told, or, without a name, that all were told. */
export interface Told {
  to?: string
  text: string
  /** Who said it, of what all hear. */
  from?: string
  ask?: Ask
  reply?: Reply
  /** What all knew after it. */
  view: Record<string, unknown>
}

export interface Played<State> {
  state: State
  view: Record<string, unknown>
  told: Told[]
  /** Decisions that asked somebody. */
  rounds: { state: State; asks: readonly Ask[] }[]
  /** How often the limit of answers stopped it. */
  pauses: number
}

export const host = 'operator'

export function roomOf(
  agents: readonly string[],
  humans: readonly string[] = [],
  settings: Partial<RoomFacts['settings']> = {},
): RoomFacts {
  const people: Human[] = [{ name: host }, ...humans.map((name) => ({ name, plays: true }))]
  return freeze({
    agents: agents.map((name): Agent => ({ name, source: 'stored' })),
    humans: people,
    settings: {
      policy: 'all',
      hopLimit: 3,
      coolDown: 1,
      maxReplies: 1_000,
      language: 'en',
      roleMap: {},
      ...settings,
    },
  })
}

// no game of these sizes comes near it: reaching it means that it does not end
const maxEvents = 5_000

/** Plays a mode from its first word to its end, and checks at each step that the mode is pure and its state can be stored. */
export function play<State extends object>(
  mode: Mode<State>,
  room: RoomFacts,
  options: Record<string, unknown>,
  seed: number,
  players: Players,
): Played<State> {
  const told: Told[] = []
  const rounds: Played<State>['rounds'] = []
  let pauses = 0
  let run = { rounds: 0, answers: 0 }
  let decision = decided(mode, () =>
    mode.onInput(room, freeze(mode.begin(room, options, seed)), says(host, 'begin')),
  )
  for (let event = 0; event < maxEvents; event++) {
    const { state, asks } = decision
    const view = mode.view(room, state)
    tellAll(told, decision, answersOf(told), view)
    if (asks.length > 0) {
      const answers = asks.flatMap((ask) => {
        const reply = players.reply(ask, view)
        const agent = room.agents.find(({ name }) => name === ask.agent)!
        const text = [mode.rules(room, agent), mode.describe(room, state), ask.task].join('\n')
        told.push({ to: ask.agent, text, ask, reply, view })
        return reply ? [answer(ask.agent, reply)] : []
      })
      rounds.push({ state, asks })
      run = { rounds: run.rounds + 1, answers: run.answers + asks.length }
      decision = decided(mode, () => mode.onAnswers(room, state, freeze(answers), { ...run }))
      continue
    }
    run = { rounds: 0, answers: 0 }
    if (view['phase'] === 'ended') return { state, view, told, rounds, pauses }
    if (decision.routing.stopped) pauses += 1
    decision = decided(mode, nextEvent(mode, room, state, players, told))
  }
  throw new Error(`The game has not ended after ${maxEvents} events.`)
}

export const says = (from: string, text: string, mentions: string[] = [], people: string[] = []) => ({
  from,
  text,
  cleanText: text,
  mentions,
  people,
})

export const answer = (agent: string, reply: Reply): Answer => ({
  agent,
  status: 'said',
  text: '',
  mentions: [],
  ...reply,
})

export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
    for (const part of Object.values(Object.freeze(value))) freeze(part)
  return value
}

/** Decided twice: a mode that draws lots, or changes what it was given, does not come to the same. */
export function decided<State extends object>(
  mode: Mode<State>,
  decide: () => Decision<State>,
): Decision<State> {
  const decision = freeze(decide())
  // assert, since it is many times as fast as expect, and this is done some ten thousand times
  assert.deepEqual(decide(), decision)
  assert.deepEqual(mode.state.parse(JSON.parse(JSON.stringify(decision.state))), decision.state)
  return decision
}

function nextEvent<State extends object>(
  mode: Mode<State>,
  room: RoomFacts,
  state: State,
  players: Players,
  told: Told[],
): () => Decision<State> {
  const view = mode.view(room, state)
  for (const { name } of room.humans.filter((human) => human.plays)) {
    const known = mode.playerView!(room, state, name)
    const asks = mode.asksOfPeople!(room, state).filter((ask) => ask.human === name)
    const lines = [
      ...known.facts,
      ...known.channel.map(({ from, text }) => `${from}: ${text}`),
      ...asks.map((ask) => ask.text),
    ]
    told.push({ to: name, text: lines.join('\n'), view })
  }
  const [ask] = mode.asksOfPeople!(room, state)
  const deed = ask && players.deed?.(ask)
  expect(mode.canAdvance!(room, state)).toBe(true)
  if (!ask || !deed) return () => mode.onAdvance!(room, state, { from: host })
  if ('chat' in deed) {
    told.push({ text: deed.chat, from: ask.human, view })
    return () => mode.onInput(room, state, says(ask.human, deed.chat))
  }
  const from = ask.human
  if ('pass' in deed) return () => mode.onAdvance!(room, state, { from })
  told.findLast((each) => each.to === from)!.reply = { data: deed.action }
  return () => mode.onAdvance!(room, state, { from, action: deed.action })
}

/** What the agents of the last round answered. */
function answersOf(told: readonly Told[]): Map<string, Told> {
  const asked = told.slice(told.findLastIndex((each) => !each.ask) + 1)
  return new Map(asked.map((each) => [each.to!, each]))
}

function tellAll<State>(
  told: Told[],
  { statements, routing }: Decision<State>,
  answers: ReadonlyMap<string, Told>,
  view: Record<string, unknown>,
) {
  told.push({ text: routing.text, view })
  for (const message of statements) {
    if (!('answerOf' in message)) {
      told.push({ text: message.text, ...('agent' in message && { from: message.agent }), view })
      continue
    }
    const given = answers.get(message.answerOf)
    expect(given?.reply, `${message.answerOf} has answered`).toBeDefined()
    expect(given!.ask!.isPrivate, `what ${message.answerOf} answered is for all`).toBeUndefined()
    told.push({ text: given!.reply!.text ?? '', from: message.answerOf, view })
  }
}
