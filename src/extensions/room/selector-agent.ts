/** The model that picks who speaks next: it sees the room as an agent does, from a seat of its own. */
import type { Agent } from '../agents/protocol/agent.ts'
import { quote } from '../../core/protocol/error.ts'
import { checkAt, invalidAt } from '../../core/protocol/issues.ts'
import { roomName } from '../agents/protocol/reserved-names.ts'
import type { RoomSettings, Selector } from './protocol/room.ts'
import type { RoomFacts } from './modes/mode.ts'

/** No agent goes by the name of the room. */
export const selectorAgent = ({ settings }: RoomFacts): Agent => ({
  name: roomName,
  source: 'shipped',
  tools: [],
  ...(settings.selector?.model !== undefined && { model: settings.selector.model }),
})

export const selectorPersona =
  'You watch a room in which several agents and people talk, and pick who speaks next. You say nothing in it yourself.'

export const selectorRules = ({ settings }: RoomFacts): string =>
  settings.selector?.instructions?.trim() || 'Pick whoever has most to add to what was said last.'

/** Refuses a definition that names an agent outside the room; one that was named before may have left since. */
export function requireSelector(
  requireModel: (id: string) => unknown,
  agents: readonly string[] = [],
  { selector }: RoomSettings = {},
  before: Selector = {},
): void {
  if (!selector) return
  const { model } = selector
  if (model !== undefined) checkAt(['room', 'selector', 'model'], () => requireModel(model))
  const known = new Set([...agents, ...namesIn(before).map(({ name }) => name)])
  const unknown = namesIn(selector).find(({ name }) => !known.has(name))
  if (unknown)
    throw invalidAt(
      ['room', 'selector', unknown.field],
      `room.selector.${unknown.field}: ${quote(unknown.name)} is not one of the agents of the room.`,
    )
}

const namesIn = ({ start = [], transitions = {} }: Selector) => [
  ...start.map((name) => ({ field: 'start', name })),
  ...Object.entries(transitions)
    .flatMap(([name, followers]) => [name, ...followers])
    .map((name) => ({ field: 'transitions', name })),
]
