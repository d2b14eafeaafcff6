/** Free chat in which a model picks who speaks, one after another, among those who may. */
import type { Routing } from '../protocol/room.ts'
import { defaultHuman, roomName } from '../../agents/protocol/reserved-names.ts'
import { findDisplayName } from '../name-lookup.ts'
import { toRoutingWords } from '../routing-words.ts'
import type { Answer, Ask, RoomFacts } from './mode.ts'

/** How far the picking has come for one input. */
export interface Picked {
  turns: number
  /** Who spoke last. */
  last?: string
}

export interface Pick {
  picked: Picked
  asks: Ask[]
  routing: Routing
}

const usualTurns = 5

/** Asks the model who speaks next, or the only agent that may begin. */
export function pickNext(room: RoomFacts, picked: Picked, replies: number): Pick {
  const { settings } = room
  const words = toRoutingWords(settings.language)
  const { maxTurns = usualTurns } = settings.selector ?? {}
  const end = (text: string, stopped?: Routing['stopped']): Pick => ({
    picked,
    asks: [],
    routing: { reason: 'nobody', text, mentions: [], policy: 'selector', ...(stopped && { stopped }) },
  })
  if (picked.turns >= maxTurns) return end(words.maxTurns(maxTurns), 'max_turns')
  if (replies >= settings.maxReplies) return end(words.maxReplies(settings.maxReplies), 'max_replies')
  const allowed = whoMayFollow(room, picked)
  if (allowed.length === 0) return end(words.nobodyMayFollow)
  const isFirst = picked.turns === 0
  if (isFirst && allowed.length === 1) return speak(room, picked, allowed[0]!, words.picked)
  const choices = isFirst ? allowed : [...allowed, defaultHuman]
  return {
    picked,
    asks: [toAsk(choices)],
    routing: { reason: 'policy', text: words.selects, mentions: [], policy: 'selector' },
  }
}

/** Asks whom the model picked; one that picked nobody who may speak leaves it to the order of the room. */
export function takePick(room: RoomFacts, picked: Picked, { data }: Answer): Pick {
  const words = toRoutingWords(room.settings.language)
  const allowed = whoMayFollow(room, picked)
  const chosen = data?.next
  const routing: Routing = { reason: 'nobody', text: words.leftToPeople, mentions: [], policy: 'selector' }
  if (chosen === defaultHuman && picked.turns > 0) return { picked, asks: [], routing }
  if (typeof chosen === 'string' && allowed.includes(chosen)) return speak(room, picked, chosen, words.picked)
  const next = inOrder(room, picked, allowed)
  if (next === undefined) return { picked, asks: [], routing: { ...routing, text: words.nobodyMayFollow } }
  return speak(room, picked, next, words.nobodyPicked)
}

export const isPick = ({ agent }: Answer) => agent === roomName

function speak(room: RoomFacts, { turns }: Picked, agent: string, text: (agent: string) => string): Pick {
  return {
    picked: { turns: turns + 1, last: agent },
    asks: [{ agent }],
    routing: {
      reason: 'policy',
      text: text(findDisplayName(room.agents, agent)),
      mentions: [],
      policy: 'selector',
    },
  }
}

/** In the order of the room; nobody follows itself unless that is said. */
function whoMayFollow({ agents, settings }: RoomFacts, { last }: Picked): string[] {
  const { start, transitions = {} } = settings.selector ?? {}
  const named = last === undefined ? start : Object.hasOwn(transitions, last) ? transitions[last] : undefined
  const names = agents.map(({ name }) => name).filter((name) => !settings.muted?.includes(name))
  return named ? names.filter((name) => named.includes(name)) : names.filter((name) => name !== last)
}

/** The first after the last speaker. */
function inOrder({ agents }: RoomFacts, { last }: Picked, allowed: readonly string[]): string | undefined {
  const names = agents.map(({ name }) => name)
  const at = last === undefined ? 0 : names.indexOf(last) + 1
  return [...names.slice(at), ...names.slice(0, at)].find((name) => allowed.includes(name))
}

const toAsk = (choices: readonly string[]): Ask => ({
  agent: roomName,
  selects: true,
  isPrivate: true,
  withoutTools: true,
  repairs: 1,
  textAs: 'next',
  task: `Who speaks next? One of: ${choices.join(', ')}.${
    choices.includes(defaultHuman) ? ` ${defaultHuman} means that no agent does, and a person goes on.` : ''
  } Answer with {"next": "<one of these names>"} and nothing else.`,
  schema: {
    type: 'object',
    properties: { next: { type: 'string', enum: choices } },
    required: ['next'],
    additionalProperties: false,
  },
})
