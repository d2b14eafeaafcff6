/** The people of a room: nobody else in it is called what they are. */
import type { Agent } from '../agents/protocol/agent.ts'
import { quote } from '../../core/protocol/error.ts'
import { invalidAt } from '../../core/protocol/issues.ts'
import type { Human } from './protocol/room.ts'
import { visualForm } from '../../core/shared/visual-form.ts'
import { defaultHuman, isReserved } from '../agents/protocol/reserved-names.ts'

/** An agent goes by a word that a person is called. */
export interface NameClash {
  agent: string
  word: string
  person: string
}

/** Agents without the words that people are called; one whose name is such a word is left out. */
export function leaveNamesToPeople(
  agents: readonly Agent[],
  humans: readonly Human[],
): { agents: Agent[]; clashes: NameClash[] } {
  const owners = new Map(
    humans.flatMap(({ name, displayName = name }) =>
      [name, displayName].map((word) => [visualForm(word), name]),
    ),
  )
  const clashes: NameClash[] = []
  const isFree = ({ name: agent }: Agent, word: string) => {
    const person = owners.get(visualForm(word))
    if (person !== undefined) clashes.push({ agent, word, person })
    return person === undefined
  }
  const left = agents.flatMap((agent): Agent[] => {
    if (!isFree(agent, agent.name)) return []
    const { nicknames, aliases, displayName, ...rest } = agent
    const free = {
      nicknames: nicknames?.filter((word) => isFree(agent, word)),
      aliases: aliases?.filter((word) => isFree(agent, word)),
      displayName: displayName !== undefined && isFree(agent, displayName) ? displayName : undefined,
    }
    const isWhole =
      free.nicknames?.length === nicknames?.length &&
      free.aliases?.length === aliases?.length &&
      free.displayName === displayName
    return [isWhole ? agent : { ...rest, ...withoutUndefined(free) }]
  })
  return { agents: left, clashes }
}

const withoutUndefined = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>

export function requireNoClash([clash]: readonly NameClash[]): void {
  if (clash)
    throw invalidAt(
      ['agents'],
      `agents: ${quote(clash.agent)} goes by ${quote(clash.word)}, which is what the person ${quote(clash.person)} is called.`,
    )
}

/** Refuses people who could be taken for one another, for the room or for everybody. */
export function requirePeople(humans: readonly Human[] = []): void {
  const owners = new Map<string, string>()
  for (const { name, displayName } of humans)
    for (const word of [name, ...(displayName === undefined ? [] : [displayName])]) {
      const look = visualForm(word)
      const owner = owners.get(look)
      if (owner !== undefined && owner !== name)
        throw invalidAt(
          ['room', 'humans'],
          `room.humans: ${quote(name)} and ${quote(owner)} are both called ${quote(word)}, or look so.`,
        )
      const isOperator = look === visualForm(defaultHuman) && visualForm(name) === look
      if (isReserved(word) && !isOperator)
        throw invalidAt(
          ['room', 'humans'],
          `room.humans: nobody can be called ${quote(word)}, which means others.`,
        )
      owners.set(look, name)
    }
}
