import type {
  Human,
  RoomMode,
  RoomPolicy,
  RoomSettings,
} from '../../../../src/extensions/room/protocol/room.ts'
import type { Session } from '../../../../src/client/index.ts'

/** How a room behaves, as it is typed. */
export interface RoomDraftFields {
  agents: readonly string[]
  policy: RoomPolicy
  moderator: string
  language: 'en' | 'zh'
  plays: boolean
  /** Of the person. */
  name: string
  hopLimit: string
  coolDown: string
  maxReplies: string
}

// as the server calls people of whom it knows nothing else
export const defaultHuman = 'operator'

export const emptyRoomFields = (language: 'en' | 'zh'): RoomDraftFields => ({
  agents: [],
  policy: 'all',
  moderator: '',
  language,
  plays: false,
  name: '',
  hopLimit: '',
  coolDown: '',
  maxReplies: '',
})

export function toRoomFields({ agents = [], room = {} }: Pick<Session, 'agents' | 'room'>): RoomDraftFields {
  const [human] = room.humans ?? []
  return {
    agents,
    policy: room.policy ?? 'all',
    moderator: room.moderator ?? '',
    language: room.language ?? 'en',
    plays: human?.plays === true,
    name: human === undefined || human.name === defaultHuman ? '' : human.name,
    hopLimit: String(room.hopLimit ?? ''),
    coolDown: String(room.coolDown ?? ''),
    maxReplies: String(room.maxReplies ?? ''),
  }
}

/** What is not shown in the form stays as it was. */
export function toRoomSettings(fields: RoomDraftFields, before: RoomSettings = {}): RoomSettings {
  const { policy, moderator, language, hopLimit, coolDown, maxReplies, agents } = fields
  const settings: RoomSettings = {
    ...before,
    policy,
    language,
    moderator: policy === 'moderator' && agents.includes(moderator) ? moderator : undefined,
    hopLimit: toNumber(hopLimit),
    coolDown: toNumber(coolDown),
    maxReplies: toNumber(maxReplies),
    humans: toHumans(fields, before.humans),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** What is no number goes as it is: the server says what is wrong with it. */
const toNumber = (typed: string): number | undefined => {
  const words = typed.trim()
  if (words === '') return undefined
  return Number.isFinite(Number(words)) ? Number(words) : (words as never)
}

/** The form is about one person; others that the room knows stay. */
function toHumans({ plays, name }: RoomDraftFields, before: readonly Human[] = []): Human[] | undefined {
  const [first, ...others] = before
  const human = { ...first, name: name.trim() || defaultHuman, plays }
  const isUsual = !plays && human.name === defaultHuman && human.displayName === undefined
  return isUsual && others.length === 0 ? undefined : [human, ...others]
}

/** Whether as many agents are chosen as the mode takes. */
export function agentProblem(
  { minAgents, maxAgents }: Pick<RoomMode, 'minAgents' | 'maxAgents'>,
  count: number,
): 'tooFew' | 'tooMany' | undefined {
  if (count < minAgents) return 'tooFew'
  return count > maxAgents ? 'tooMany' : undefined
}
