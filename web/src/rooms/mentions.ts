import type { Agent } from '../../../src/extensions/agents/protocol/agent.ts'
import { foldName } from '../../../src/core/shared/fold-name.ts'
import type { Option } from '../session/composer/completion.ts'

type Callable = Pick<Agent, 'name' | 'displayName' | 'nicknames' | 'aliases' | 'avatar' | 'description'>

const maxSuggestions = 8

/** Calls everybody. */
export const everybody = 'all'

/**
 * Who may be meant by what was typed after an @: best those who are called just that, then those whose name begins with
 * it, then a nickname, an alias, a display name, and last those in which it is somewhere.
 */
export function suggestAgents(agents: readonly Callable[], query: string): Callable[] {
  const word = foldName(query)
  return agents
    .map((agent) => ({ agent, score: scoreOf(agent, word) }))
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score)
    .slice(0, maxSuggestions)
    .map(({ agent }) => agent)
}

function scoreOf({ name, displayName = '', nicknames = [], aliases = [] }: Callable, word: string): number {
  if (word === '') return 1
  const kinds = [[name], nicknames, aliases, [displayName]]
  const known = kinds.map((names) => names.map(foldName))
  if (known.slice(0, 3).some((names) => names.includes(word))) return 10
  const begins = known.findIndex((names) => names.some((called) => called.startsWith(word)))
  if (begins !== -1) return 9 - begins
  return known.some((names) => names.some((called) => called.includes(word))) ? 2 : 0
}

/** What the box offers; everybody last, since that is asked for rarely. */
export function toMentionOptions(
  agents: readonly Callable[],
  query: string,
  words: { agent: string; everybody: string },
): Option[] {
  const suggested = suggestAgents(agents, query).map((agent): Option => {
    const [called = agent.name] = agent.nicknames ?? []
    return {
      id: `agent-${agent.name}`,
      kind: 'agent',
      label: `@${agent.name}`,
      detail: [agent.displayName, called === agent.name ? undefined : called].filter(Boolean).join(' · '),
      avatar: agent.avatar,
      badge: words.agent,
      insert: `@${agent.name} `,
    }
  })
  if (agents.length < 2 || !everybody.startsWith(foldName(query))) return suggested
  const all: Option = {
    id: 'agent-everybody',
    kind: 'agent',
    label: `@${everybody}`,
    detail: words.everybody,
    badge: words.agent,
    insert: `@${everybody} `,
  }
  return [...suggested.slice(0, maxSuggestions - 1), all]
}
