import { isCallable } from '../agents/protocol/agent.ts'
import { NameTrie, type Match } from './name-trie.ts'
import { everybody } from '../agents/protocol/reserved-names.ts'

export interface Named {
  readonly name: string
  readonly displayName?: string
}

/** What somebody is called where people read it, agent or person. */
export const displayNameOf = ({ name, displayName }: Named): string => displayName || name

/** The same by name; somebody who is not there is called by that. */
export function findDisplayName(known: readonly Named[], name: string): string {
  const found = known.find((one) => one.name === name)
  return found ? displayNameOf(found) : name
}

/** As much of an agent as it takes to call it. */
export interface Callable extends Named {
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
  /** The agent that goes by this; undefined when none does. */
  find(called: string): string | undefined
  /** Whom the longest word calls that stands in the text from here on and may end where it does. */
  match(
    text: string,
    start: number,
    mayEnd: (text: string, end: number) => boolean,
  ): Match<Called> | undefined
}

/** Who is meant: one agent, all of them, or a person. The same word answers with the same object. */
export interface Called {
  readonly agents: readonly string[]
  readonly people: readonly string[]
}

/**
 * Names go before nicknames, these before aliases and display names, people before agents, and earlier agents before
 * later ones. A display name counts as it is written and as one word. What calls everybody always does.
 */
export function buildLookup(agents: readonly Callable[], people: readonly Callable[] = []): Lookup {
  const names = agents.map(({ name }) => name)
  const words = new NameTrie<Called>()
  const clashes: Clash[] = []
  const all = { agents: names, people: [] }
  for (const called of everybody) words.add(called, all)
  const persons = new Map(people.map(({ name }) => [name, { agents: [], people: [name] }]))
  for (const { called, name } of toWords(people)) words.add(called, persons.get(name)!)
  const single = new Map(names.map((name) => [name, { agents: [name], people: [] }]))
  for (const { called, name: agent } of toWords(agents)) {
    const kept = words.add(called, single.get(agent)!)
    const takenBy = kept === all ? called : (kept.agents[0] ?? kept.people[0]!)
    if (kept !== single.get(agent)) clashes.push({ called, agent, takenBy })
  }

  return {
    names,
    clashes,
    match: (text, start, mayEnd) => words.longest(text, start, mayEnd),
    find(called) {
      const found = words.longest(called, 0, isWhole)?.value
      return found === all ? undefined : found?.agents[0]
    },
  }
}

const isWhole = (text: string, end: number) => end === text.length

function toWords(named: readonly Callable[]): { called: string; name: string }[] {
  const kinds: ((one: Callable) => readonly string[])[] = [
    ({ name }) => [name].filter(isCallable),
    ({ nicknames = [] }) => nicknames.filter(isCallable),
    ({ aliases = [] }) => aliases.filter(isCallable),
    ({ displayName = '' }) => toCalled(displayName),
  ]
  return kinds.flatMap((wordsOf) =>
    named.flatMap((one) => wordsOf(one).map((called) => ({ called, name: one.name }))),
  )
}

// begins and ends with a letter or digit, so that its end can be found
const severalWords = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.'’ -]*[\p{L}\p{N}\p{M}]$/u

/** A display name as one word, and as several. */
function toCalled(displayName: string): string[] {
  const written = displayName.trim().replaceAll(/\s+/g, ' ')
  const joined = written.replaceAll(' ', '')
  return [
    ...(isCallable(joined) ? [joined] : []),
    ...(joined !== written && severalWords.test(written) ? [written] : []),
  ]
}

/** Who can be mentioned in a room: its agents and its people. */
export const lookupOf = ({
  agents,
  humans,
}: {
  agents: readonly Callable[]
  humans: readonly Callable[]
}): Lookup => buildLookup(agents, humans)
