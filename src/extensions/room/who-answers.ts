import type { RoomPolicy, Routing } from './protocol/room.ts'
import { displayNameOf, findDisplayName, type Named } from './name-lookup.ts'
import { toRoutingWords, type Language } from './routing-words.ts'

export interface TargetFacts {
  /** Who is there, in order. */
  agents: readonly Named[]
  /** Agents that were mentioned, in order. */
  mentions: readonly string[]
  /** People that were mentioned. */
  people?: readonly Named[]
  policy: RoomPolicy
  /** Who leads the conversation; default the first. */
  moderator?: string
  /** Agents that are never asked. */
  muted?: readonly string[]
  /** How many turns a round-robin has had. Default 0. */
  next?: number
  /** Of a workflow: who does which node, and the node where it stands. */
  roleMap?: Readonly<Record<string, string>>
  currentNode?: string
  language?: Language
}

export interface Targets {
  /** Who is asked. */
  targets: string[]
  routing: Routing
  /** How many turns a round-robin has had then. */
  next: number
}

/**
 * Who answers: those who are mentioned, else who does the node of a workflow, else whom the policy of the room names.
 * What is said to a person is for that person to answer, and for no agent that is not mentioned too.
 * Somebody who is not there is never asked, and nobody else in place of them.
 */
export function selectTargets(facts: TargetFacts): Targets {
  const { agents, people = [], policy, currentNode, muted = [], next = 0 } = facts
  const words = toRoutingWords(facts.language)
  const mentions = facts.mentions.filter((name) => agents.some((agent) => agent.name === name))
  const answer = (
    reason: Routing['reason'],
    targets: string[],
    text: string,
    more?: Partial<Routing>,
  ): Targets => ({
    targets,
    routing: { reason, text, mentions, ...more },
    next,
  })
  if (agents.length === 0) return answer('nobody', [], words.empty)
  if (mentions.length > 0) {
    const namesOf = (some: readonly string[]) => some.map((name) => findDisplayName(agents, name))
    const heard = mentions.filter((name) => !muted.includes(name))
    const left = leftMuted(facts, mentions)
    return heard.length > 0
      ? answer('mention', heard, words.mentioned(namesOf(heard)), left)
      : answer('nobody', [], words.mentionedAreMuted(namesOf(mentions)), left)
  }
  if (people.length > 0) return answer('nobody', [], words.toPeople(people.map(displayNameOf)))
  if (currentNode !== undefined) {
    const agent = findAgent(facts, roleOf(facts.roleMap, currentNode))
    const phase = { phase: currentNode }
    return agent
      ? answer('mode', [agent], words.doesNode(findDisplayName(agents, agent), currentNode), phase)
      : answer('nobody', [], words.nobodyDoesNode(currentNode), phase)
  }
  const chosen = byPolicy[policy](facts, words)
  return {
    ...answer(chosen.targets.length > 0 ? 'policy' : 'nobody', chosen.targets, chosen.text, { policy }),
    next: chosen.next ?? next,
  }
}

/** The muted ones among them, as part of a routing. */
export function leftMuted(
  { muted = [], language }: Pick<TargetFacts, 'muted' | 'language'>,
  called: readonly string[],
): Pick<Routing, 'left'> {
  const reason = toRoutingWords(language).isMuted
  const left = called.filter((name) => muted.includes(name)).map((agent) => ({ agent, reason }))
  return left.length > 0 ? { left } : {}
}

/** Whose turn it is, after so many turns, and how many have passed then; undefined when all are muted. */
export function nextInTurn({ agents, muted = [], next = 0 }: Pick<TargetFacts, 'agents' | 'muted' | 'next'>) {
  for (let turn = next; turn < next + agents.length; turn++) {
    const { name } = agents[turn % agents.length]!
    if (!muted.includes(name)) return { name, next: turn + 1 }
  }
  return undefined
}

type Words = ReturnType<typeof toRoutingWords>

const byPolicy: Record<
  RoomPolicy,
  (facts: TargetFacts, words: Words) => { targets: string[]; text: string; next?: number }
> = {
  all({ agents, muted = [] }, words) {
    const targets = agents.map(({ name }) => name).filter((name) => !muted.includes(name))
    return { targets, text: targets.length > 0 ? words.all : words.allAreMuted }
  },
  moderator(facts, words) {
    const { agents, moderator = agents[0]?.name ?? '', muted = [] } = facts
    const agent = findAgent(facts, moderator)
    if (agent !== undefined && muted.includes(agent))
      return { targets: [], text: words.leaderIsMuted(findDisplayName(agents, agent)) }
    return agent
      ? { targets: [agent], text: words.leads(findDisplayName(agents, agent)) }
      : { targets: [], text: words.leaderIsMissing(moderator) }
  },
  'round-robin'(facts, words) {
    const turn = nextInTurn(facts)
    if (!turn) return { targets: [], text: words.allAreMuted }
    const { name, next } = turn
    return { targets: [name], text: words.isNext(findDisplayName(facts.agents, name)), next }
  },
  // a model is asked first
  selector: (_, { selects }) => ({ targets: [], text: selects }),
  silent: (_, { silent }) => ({ targets: [], text: silent }),
}

const findAgent = ({ agents }: TargetFacts, wanted: string | undefined) =>
  agents.find(({ name }) => name === wanted)?.name

const roleOf = (roleMap: TargetFacts['roleMap'], node: string) =>
  roleMap && Object.hasOwn(roleMap, node) ? roleMap[node] : undefined
