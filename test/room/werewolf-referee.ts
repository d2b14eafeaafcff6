/** Watches games of Werewolf: knows the rules of the game, and nothing of how it is programmed. */
import type { Played, Told } from './play.ts'

type Role = 'wolf' | 'seer' | 'witch' | 'villager'
interface Death {
  player: string
  round: number
  cause: 'night' | 'vote'
  role?: Role
}
interface Ballots {
  round: number
  ballots: { player: string; target?: string }[]
  out?: string
}
interface View {
  round: number
  phase: string
  alive: string[]
  dead: Death[]
  votes: Ballots[]
  roles?: Record<string, Role>
  winner?: string
}

const viewOf = (view: Record<string, unknown>) => view as unknown as View

/** Who has won, from who was what and who died when: those of one night die together. */
export function winnerByTheRules(view: Record<string, unknown>): string {
  const { roles = {}, dead } = viewOf(view)
  const alive = new Set(Object.keys(roles))
  for (const group of Object.values(Object.groupBy(dead, ({ round, cause }) => `${round} ${cause}`))) {
    for (const { player } of group!) if (!alive.delete(player)) return `${player} died twice`
    const wolves = [...alive].filter((player) => roles[player] === 'wolf').length
    const isLast = group!.includes(dead.at(-1)!)
    if (wolves === 0) return isLast ? 'village' : 'went on after the village had won'
    if (wolves >= alive.size - wolves) return isLast ? 'wolves' : 'went on after the wolves had won'
  }
  return 'nobody'
}

/** Votes that were counted wrong. */
export function miscounted(view: Record<string, unknown>): string[] {
  return viewOf(view).votes.flatMap(({ round, ballots, out }) => {
    const counts = Map.groupBy(
      ballots.filter(({ target }) => target),
      ({ target }) => target,
    )
    const most = Math.max(0, ...[...counts.values()].map((votes) => votes.length))
    const first = [...counts].filter(([, votes]) => votes.length === most)
    const expected = first.length === 1 ? first[0]![0] : undefined
    return expected === out ? [] : [`day ${round}: ${expected} should be out, not ${out}`]
  })
}

/** What was done to somebody who was dead, or asked of them. */
export const askedAmongTheDead = ({ told }: Played<object>) =>
  told.filter(({ to, ask, view }) => ask && !viewOf(view).alive.includes(to!)).map(({ to }) => to)

const roleWords = /wolf|wolves|seer|witch|villager|狼|预言家|女巫|村民/i
/** Marks that scripted players put into everything they say. */
const marks = /mark-\d+/g

/**
 * Everything that somebody was told and may not know. Before the end, a line with the name of another player and the
 * word of a role is a statement about that player; and a mark that was said in private is known to those who heard it.
 */
export function leaks(game: Played<object>): string[] {
  const { roles = {} } = viewOf(game.view)
  const checked = new Map<string, Set<string>>()
  const said = new Map<string, Told>()
  const found: string[] = []
  for (const each of game.told) {
    for (const line of each.text.split('\n')) {
      if (!viewOf(each.view).winner) found.push(...statements(line, each, roles, checked))
      found.push(...overheard(line, each, roles, said))
    }
    const { to, reply } = each
    for (const [mark] of JSON.stringify(reply ?? {}).matchAll(marks)) said.set(mark, each)
    const target = reply?.data?.['target']
    if (to && roles[to] === 'seer' && typeof target === 'string')
      checked.set(to, (checked.get(to) ?? new Set()).add(target.toLowerCase()))
  }
  return found
}

function statements(
  line: string,
  { to, view }: Told,
  roles: Record<string, Role>,
  checked: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  if (!roleWords.test(line)) return []
  return Object.keys(roles)
    .filter((player) => player !== to && line.includes(player))
    .filter((player) => {
      const death = viewOf(view).dead.find((each) => each.player === player)
      if (death?.role) return false
      if (to && roles[to] === 'wolf' && roles[player] === 'wolf') return false
      return !(to && checked.get(to)?.has(player.toLowerCase()))
    })
    .map((player) => `${to ?? 'everybody'} is told of ${player}: ${line}`)
}

function overheard(
  line: string,
  { to, from, view }: Told,
  roles: Record<string, Role>,
  said: ReadonlyMap<string, Told>,
): string[] {
  return [...line.matchAll(marks)].flatMap(([mark]) => {
    const source = said.get(mark)
    if (!source) return []
    const mayKnow = to
      ? to === source.to || (isOfWolves(source, roles) && roles[to] === 'wolf')
      : // the room tells what a person said to a vote
        from === (source.ask && source.to) && (isSpeech(source) || isCountedVote(source, view))
    return mayKnow ? [] : [`${to ?? 'everybody'} hears what ${source.to} said: ${line}`]
  })
}

const isSpeech = ({ ask }: Told) => ask !== undefined && !ask.isPrivate

const isOfWolves = (source: Told, roles: Record<string, Role>) =>
  roles[source.to!] === 'wolf' && isAbout(source, 'target')

/** Votes are shown when all have voted: then there is one vote more than when it was asked for. */
const isCountedVote = (source: Told, now: Record<string, unknown>) =>
  isAbout(source, 'vote') && viewOf(now).votes.length > viewOf(source.view).votes.length

/** What was asked for; of a person, what they did. */
const isAbout = ({ ask, reply }: Told, field: string) =>
  Object.hasOwn((ask ? ask.schema?.['properties'] : reply?.data) ?? {}, field)
