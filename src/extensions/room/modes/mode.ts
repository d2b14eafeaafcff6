import type { z } from 'zod'
import type { Agent } from '../../agents/protocol/agent.ts'
import type { Human, PlayerAsk, RoomSettings, Routing } from '../protocol/room.ts'
import type { WindowSettings } from '../../../core/protocol/window.ts'

export interface Words {
  en: string
  zh: string
}

/** A room as its mode sees it: who is there, and how it behaves. */
export interface RoomFacts {
  agents: readonly Agent[]
  /** At least one. */
  humans: readonly Human[]
  settings: Required<
    Pick<RoomSettings, 'policy' | 'hopLimit' | 'coolDown' | 'maxReplies' | 'language' | 'roleMap'>
  > &
    Pick<RoomSettings, 'moderator' | 'muted' | 'selector'>
  /** Allowed beginnings of commands; left out, agents do not see them. */
  testCommands?: readonly string[]
}

/** Something a person said. */
export interface RoomInput {
  /** The name of the person. */
  from: string
  text: string
  /** The text without the mentions that address somebody. */
  cleanText: string
  /** Agents that were mentioned, in order, each once. */
  mentions: readonly string[]
  /** The same of people. */
  people: readonly string[]
}

/** A request to one agent. All asks of a decision are answered at once, from the same history. */
export interface Ask {
  agent: string
  /** What only this agent sees now, besides the messages of the room: its task, its secrets. */
  task?: string
  /** Its answer is one JSON object of this schema, checked before anybody sees it; `say` in it is what it says aloud. */
  schema?: Record<string, unknown>
  /** An answer without an object is taken as this field of it. */
  textAs?: string
  /** Its answer is not for the log; the mode gets it. What it says is not shown to people who play. */
  isPrivate?: true
  /** How often it is asked again when its answer has not the form; default as often as any. */
  repairs?: number
  /** No agent: a model that picks who speaks next. */
  selects?: true
  /** A person asked it outside the rules: the mode does not see it. */
  isAside?: true
  /** What a person said to it alone. */
  whisper?: { from: string; text: string }
  /** It answers with words alone. Default false. */
  withoutTools?: true
}

export interface Answer {
  agent: string
  status: 'said' | 'skipped' | 'failed' | 'stopped'
  /** What it said; of an answer with a schema, its `say`. */
  text: string
  /** The object that it answered with. */
  data?: Record<string, unknown>
  /** Other agents that it mentioned, in order, each once. */
  mentions: readonly string[]
  error?: { code: string; message?: string }
}

/** One public message, which enters the log. */
export type Statement =
  /** The answer of an agent as it is, with its tool calls; one that failed or was stopped is marked so. */
  | { answerOf: string }
  /** Other words than it answered with, such as a question without its solution. */
  | { agent: string; text: string }
  /** The room itself. */
  | { text: string }

/** Somebody else's programs, run without a shell where the room works; their outcome comes to `onCommands`. */
export interface CommandOutcome {
  command: string
  status: 'passed' | 'failed' | 'blocked'
  /** Of one that was blocked. */
  reason?: 'command_injection_characters' | 'malicious_command' | 'allowlist_mismatch' | 'not_permitted'
  exitCode?: number
  /** The end of what it wrote. */
  output?: string
}

/**
 * What a mode makes of what happened. It is stored as a whole before anybody is asked; the answers come to `onAnswers`.
 * Without asks and commands the run ends, and the room waits for people.
 */
export interface Decision<State> {
  state: State
  /** Enter the log in this order. */
  statements: readonly Statement[]
  asks: readonly Ask[]
  commands?: readonly string[]
  routing: Routing
}

/**
 * The rules of a room. Pure: same state and same event, same decision; chance comes from a seed in the state. What an
 * agent sees is made of the log, which all may know, of `rules`, and of the task of an ask: nothing else of the
 * state ever reaches a prompt.
 */
export interface Mode<State extends object = Record<string, unknown>> {
  readonly name: string
  readonly label: Words
  readonly icon: string
  readonly description: Words
  readonly minAgents: number
  readonly maxAgents: number
  /** What each agent sees of the room. */
  readonly window: WindowSettings
  /** What a person may say when the mode is set. */
  readonly options: z.ZodType<Record<string, unknown>>
  /** Schema of the stored state. */
  readonly state: z.ZodType<State>
  /** People may ask one of its agents alone, outside the rules. Default false. */
  readonly canAsk?: true
  /** It continues without muted agents. Default false: it needs all of them. */
  readonly canMute?: true
  /** A message after a stopped round continues that round. Default false: it begins another. */
  readonly resumesRounds?: true
  /** Agents use memories from elsewhere; false where that would reveal secrets. */
  readonly usesMemory: boolean
  /** The state that a room begins with. Throws `invalid_request` when it cannot. `seed` is chance, given once. */
  begin(room: RoomFacts, options: Record<string, unknown>, seed: number): State
  /** The rules as agents see them: one text over the whole game, without anything secret. */
  rules(room: RoomFacts, agent: Agent): string
  /** The current state as agents see it with each ask: public facts only. Undefined: nothing. */
  describe(room: RoomFacts, state: State): string | undefined
  /** What all may know, for front ends: `modeState` of the session. */
  view(room: RoomFacts, state: State): Record<string, unknown>
  /** Somebody said something, which is in the log already. */
  onInput(room: RoomFacts, state: State, input: RoomInput): Decision<State>
  /** All that were asked have answered, in the order of the asks. `count` is how many answers the run has had so far. */
  onAnswers(
    room: RoomFacts,
    state: State,
    answers: readonly Answer[],
    run: { rounds: number; answers: number },
  ): Decision<State>
  /** Somebody continues the room, or acts as requested. Throws `invalid_request` or `conflict` when it cannot. */
  onAdvance?(
    room: RoomFacts,
    state: State,
    step: { from: string; action?: Record<string, unknown> },
  ): Decision<State>
  onCommands?(room: RoomFacts, state: State, outcomes: readonly CommandOutcome[]): Decision<State>
  /** What people are asked to do. */
  asksOfPeople?(room: RoomFacts, state: State): PlayerAsk[]
  /** What one person who plays knows beyond the rest. */
  playerView?(
    room: RoomFacts,
    state: State,
    human: string,
  ): { facts: string[]; channel: { from: string; text: string }[] }
  /** Whether what is private must stay so, since a person plays. Default false. */
  isSealed?(room: RoomFacts, state: State): boolean
  /** Whether `advance` without an action does something now. Default false. */
  canAdvance?(room: RoomFacts, state: State): boolean
}

/** Every mode is handed back the state that it made itself, whatever that is. */
export const anyMode = <State extends object>(mode: Mode<State>): Mode => mode as unknown as Mode
