/** Where a game stands, as all may know it. Nothing here reads `roles` of the living, or what was done at night, before the end. */
import type { Routing } from '../../protocol/room.ts'
import type { RoomFacts } from '../mode.ts'
import { shownRole } from './round-changes.ts'
import { tiedIn } from './day.ts'
import { isNight, roles, type Role, type WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** A person plays, and the game is not over. */
export const isSealed = (state: WerewolfState) => state.humans.length > 0 && state.phase !== 'ended'

/** The part of a night is shown only where nobody plays who could learn from it who acts and who no longer can. */
export const shownPhase = (state: WerewolfState) =>
  isSealed(state) && isNight(state) ? 'night' : state.phase

export function standingOf(room: RoomFacts, state: WerewolfState): string {
  const texts = textsOf(room)
  const vote = state.votes.at(-1)
  return [
    phaseText(room, state),
    texts.alive(state.alive),
    ...(state.deaths.length > 0 ? [texts.dead(deathsOf(state))] : []),
    texts.counts(countsOf(state)),
    ...(vote ? [texts.vote(vote.round), texts.ballots(vote)] : []),
  ].join('\n')
}

export function viewOf(state: WerewolfState): Record<string, unknown> {
  const isEnded = state.phase === 'ended'
  return {
    phase: shownPhase(state),
    round: state.round,
    players: state.players,
    alive: state.alive,
    dead: deathsOf(state),
    roleCounts: Object.fromEntries(countsOf(state)),
    votes: state.votes,
    ...silentOf(state),
    ...(isEnded && {
      winner: state.winner,
      roles: state.roles,
      nights: state.nights,
      channel: state.channel,
      seed: state.seed,
    }),
  }
}

/** The dead are silent until the game has ended: messages of such a person are refused, see `isSilent`. */
function silentOf({ humans, alive, phase }: WerewolfState): { silent?: string[] } {
  const dead = phase === 'ended' ? [] : humans.filter((human) => !alive.includes(human))
  return dead.length > 0 ? { silent: dead } : {}
}

export function routingOf(
  room: RoomFacts,
  state: WerewolfState,
  isAsked: boolean,
  waiting: { agents: readonly string[]; humans: readonly string[] },
): Routing {
  const texts = textsOf(room)
  const isPaused = !isAsked && waiting.agents.length > 0
  const awaited = isNight(state) ? texts.waiting : texts.waitingFor(waiting.humans)
  return {
    reason: isAsked ? 'mode' : 'nobody',
    text: [
      phaseText(room, state),
      ...(isAsked ? nightText(room, state) : []),
      ...(isPaused ? [texts.paused] : []),
      ...(!isAsked && !isPaused && waiting.humans.length > 0 ? [awaited] : []),
    ].join(' '),
    mentions: [],
    phase: shownPhase(state),
    ...(isPaused && { stopped: 'max_replies' as const }),
  }
}

function phaseText(room: RoomFacts, state: WerewolfState): string {
  const texts = textsOf(room)
  if (state.phase === 'lobby') return texts.notBegun
  if (state.phase === 'ended') return texts.over
  if (isNight(state)) return texts.night(state.round)
  if (state.phase === 'day_discuss') return texts.discussion(state.round)
  const tied = tiedIn(state)
  return tied ? texts.secondVote(state.round, tied) : texts.vote(state.round)
}

function nightText(room: RoomFacts, state: WerewolfState): string[] {
  const texts = textsOf(room)
  const phase = shownPhase(state)
  if (phase === 'night_wolf') return [texts.wolvesChoose]
  if (phase === 'night_seer') return [texts.seerChecks]
  return phase === 'night_witch' ? [texts.witchDecides] : []
}

const deathsOf = (state: WerewolfState) =>
  state.deaths.map((death) => {
    const role = state.phase === 'ended' ? state.roles[death.player] : shownRole(state, death.player)
    return { ...death, ...(role && { role }) }
  })

/** How many of each there are is known from the start. */
function countsOf(state: WerewolfState): [Role, number][] {
  const all = Object.values(state.roles)
  return roles.map((role) => [role, all.filter((each) => each === role).length])
}
