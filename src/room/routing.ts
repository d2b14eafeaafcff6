import type { RoomPolicy, Routing } from '../protocol/room.ts'
import { findDisplayName } from './display-name.ts'
import { toRoutingWords, type Language } from './routing-words.ts'

export interface TargetFacts {
  /** Who is there, in order. */
  agents: readonly { readonly name: string; readonly displayName?: string }[]
  /** Agents that were mentioned, in order. */
  mentions: readonly string[]
  policy: RoomPolicy
  /** Who leads the conversation; default the first. */
  moderator?: string
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
 * Somebody who is not there is never asked, and nobody else in place of them.
 */
export function selectTargets(facts: TargetFacts): Targets {
  const { agents, policy, currentNode, next = 0 } = facts
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
  if (mentions.length > 0)
    return answer('mention', mentions, words.mentioned(mentions.map((name) => findDisplayName(agents, name))))
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
    next: policy === 'round-robin' ? next + chosen.targets.length : next,
  }
}

type Words = ReturnType<typeof toRoutingWords>

const byPolicy: Record<
  RoomPolicy,
  (facts: TargetFacts, words: Words) => { targets: string[]; text: string }
> = {
  all: ({ agents }, { all }) => ({ targets: agents.map(({ name }) => name), text: all }),
  moderator(facts, words) {
    const { agents, moderator = agents[0]?.name ?? '' } = facts
    const agent = findAgent(facts, moderator)
    return agent
      ? { targets: [agent], text: words.leads(findDisplayName(agents, agent)) }
      : { targets: [], text: words.leaderIsMissing(moderator) }
  },
  'round-robin': ({ agents, next = 0 }, words) => {
    const { name } = agents[next % agents.length]!
    return { targets: [name], text: words.isNext(findDisplayName(agents, name)) }
  },
  silent: (_, { silent }) => ({ targets: [], text: silent }),
}

const findAgent = ({ agents }: TargetFacts, wanted: string | undefined) =>
  agents.find(({ name }) => name === wanted)?.name

const roleOf = (roleMap: TargetFacts['roleMap'], node: string) =>
  roleMap && Object.hasOwn(roleMap, node) ? roleMap[node] : undefined
