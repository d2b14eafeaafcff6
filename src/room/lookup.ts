import { isCallable } from '../protocol/agent.ts'
import { NameTrie, type Match } from './name-trie.ts'

/** As much of an agent as it takes to call it. */
export interface Callable {
  readonly name: string
  readonly displayName?: string
  readonly nicknames?: readonly string[]
  readonly aliases?: readonly string[]
}

/** Two agents go by one word; it calls the one that had it first. */
export interface Clash {
  called: string
  agent: string
  takenBy: string
}

/** Who is meant by a word, whatever its case and the forms of its letters. */
export interface Lookup {
  /** The agents, in order. */
  readonly names: readonly string[]
  readonly clashes: readonly Clash[]
  /** The agent that goes by this word; undefined when none does. */
  find(called: string): string | undefined
  /** Whom the longest word calls that stands in the text from here on and may end where it does. */
  match(
    text: string,
    start: number,
    mayEnd: (text: string, end: number) => boolean,
  ): Match<Called> | undefined
}

/** One agent, or all of them. */
type Called = readonly string[]

const everybody = ['all', 'everyone', '所有人', '大家']

/**
 * Names go before nicknames, these before aliases and display names, and earlier agents before later ones. A display
 * name counts as one word. What calls everybody does so unless an agent goes by it.
 */
export function buildLookup(agents: readonly Callable[]): Lookup {
  const names = agents.map(({ name }) => name)
  const words = new NameTrie<Called>()
  const clashes: Clash[] = []
  for (const { called, agent } of toWords(agents)) {
    const [takenBy = agent] = words.add(called, [agent])
    if (takenBy !== agent) clashes.push({ called, agent, takenBy })
  }
  for (const called of everybody) words.add(called, names)

  return {
    names,
    clashes,
    match: (text, start, mayEnd) => words.longest(text, start, mayEnd),
    find(called) {
      const found = words.longest(called, 0, isWhole)?.value
      return found === names ? undefined : found?.[0]
    },
  }
}

const isWhole = (text: string, end: number) => end === text.length

function toWords(agents: readonly Callable[]): { called: string; agent: string }[] {
  const kinds: ((agent: Callable) => readonly string[])[] = [
    ({ name }) => [name],
    ({ nicknames = [] }) => nicknames,
    ({ aliases = [] }) => aliases,
    ({ displayName = '' }) => [displayName.replaceAll(/\s+/g, '')],
  ]
  return kinds.flatMap((wordsOf) =>
    agents.flatMap((agent) =>
      wordsOf(agent)
        .filter(isCallable)
        .map((called) => ({ called, agent: agent.name })),
    ),
  )
}
