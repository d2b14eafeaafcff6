import { isCallable, type Agent } from '../protocol/agent.ts'
import { foldName } from '../shared/fold-name.ts'

/** What an agent is called besides its name. */
const kinds = ['nicknames', 'aliases', 'displayName'] as const
type Kind = (typeof kinds)[number]

type Named = Pick<Agent, 'name' | Kind>

interface TakenWord<Item> {
  agent: Item
  word: string
  /** Who has it already. */
  by: Item
}

/**
 * Each agent with the words that no other has before it: names go before all else, and earlier agents before later
 * ones. `taken` tells what was left out.
 */
export function keepFreeWords<Item extends Named>(
  agents: readonly Item[],
): { agents: Item[]; taken: TakenWord<Item>[] } {
  const owners = new Map(agents.map((agent) => [foldName(agent.name), agent]))
  const taken: TakenWord<Item>[] = []
  const claim = (agent: Item, word: string): boolean => {
    const key = foldName(word)
    const by = owners.get(key)
    if (!by) owners.set(key, agent)
    else if (by !== agent) taken.push({ agent, word, by })
    return !by
  }
  const kept = agents.map((agent) => ({ ...agent }))
  agents.forEach((agent, index) => {
    for (const kind of kinds) {
      const words = wordsIn(agent, kind)
      const free = words.filter((word) => claim(agent, word))
      if (kind !== 'displayName' && agent[kind]) kept[index]![kind] = free
      // one that is its own name or nickname as well is shown all the same
      else if (words.some((word) => owners.get(foldName(word)) !== agent)) delete kept[index]!.displayName
    }
  })
  return { agents: kept, taken }
}

/** A word that an agent and another both want, and that other. */
export function findClash(
  agent: Named,
  others: readonly Agent[],
): { word: string; other: Agent } | undefined {
  const { taken } = keepFreeWords([agent, ...others])
  const clash = taken.find((found) => found.agent === agent || found.by === agent)
  const other = others.find((one) => one === clash?.agent || one === clash?.by)
  return clash && other && { word: clash.word, other }
}

/** A display name counts as one word. */
function wordsIn(agent: Named, kind: Kind): string[] {
  if (kind !== 'displayName') return agent[kind] ?? []
  const word = (agent.displayName ?? '').replaceAll(/\s+/g, '')
  return isCallable(word) ? [word] : []
}
