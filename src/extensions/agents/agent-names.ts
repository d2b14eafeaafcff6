import type { Agent } from './protocol/agent.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import { visualForm } from '../../core/shared/visual-form.ts'
import { isReserved } from './protocol/reserved-names.ts'

type Named = Pick<Agent, 'name' | 'nicknames' | 'aliases' | 'displayName'>

interface TakenWord<Item> {
  agent: Item
  word: string
  /** Who has it already; undefined: it means somebody in every room. */
  by?: Item
}

/**
 * Each agent with the words that no other has before it: names go before all else, and earlier agents before later
 * ones. `taken` lists what was left out: an agent whose own name is reserved, as a whole.
 */
export function keepFreeWords<Item extends Named>(
  given: readonly Item[],
): { agents: Item[]; taken: TakenWord<Item>[] } {
  const agents = given.filter(({ name }) => !isReserved(name))
  const taken: TakenWord<Item>[] = given
    .filter(({ name }) => isReserved(name))
    .map((agent) => ({ agent, word: agent.name }))
  const owners = new Map(agents.map((agent) => [foldName(agent.name), agent]))
  const shownAs = new Map(agents.map((agent) => [visualForm(agent.name), agent]))
  const claim = (agent: Item, word: string): boolean => {
    const key = foldName(word)
    const by = owners.get(key)
    if (isReserved(word)) taken.push({ agent, word })
    else if (!by) owners.set(key, agent)
    else if (by !== agent) taken.push({ agent, word, by })
    return !by && !isReserved(word)
  }
  /** No two agents are shown as one. */
  const mayShow = (agent: Item, displayName: string): boolean => {
    const word = displayName.replaceAll(/\s+/g, '')
    // one that is its own name or nickname as well is shown all the same
    if (!claim(agent, word) && owners.get(foldName(word)) !== agent) return false
    const by = shownAs.get(visualForm(word))
    if (!by) shownAs.set(visualForm(word), agent)
    else if (by !== agent) taken.push({ agent, word, by })
    return !by || by === agent
  }
  const kept = agents.map((agent) => ({ ...agent }))
  for (const [index, agent] of agents.entries()) {
    for (const kind of ['nicknames', 'aliases'] as const) {
      const free = agent[kind]?.filter((word) => claim(agent, word))
      if (free) kept[index]![kind] = free
    }
    if (agent.displayName !== undefined && !mayShow(agent, agent.displayName)) delete kept[index]!.displayName
  }
  return { agents: kept, taken }
}

/** A word that an agent and another both want, and that other; without one, that is reserved. */
export function findClash(
  agent: Named,
  others: readonly Agent[],
): { word: string; other?: Agent } | undefined {
  const { taken } = keepFreeWords([agent, ...others])
  const clash = taken.find((found) => found.agent === agent || found.by === agent)
  const other = others.find((one) => one === clash?.agent || one === clash?.by)
  return clash && { word: clash.word, ...(other && { other }) }
}
