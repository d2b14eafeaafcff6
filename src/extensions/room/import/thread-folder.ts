import { realpath } from 'node:fs/promises'
import { invalidRequest, ParleyError, quote } from '../../../core/protocol/error.ts'
import { messageText } from '../../../core/protocol/message-text.ts'
import { idSchema } from '../../../core/protocol/names.ts'
import { joinFacets } from '../../../core/protocol/joined-facets.ts'
import { roomFacets } from '../facets.ts'
import { roomAgentNamesSchema, roomSettingsSchema } from '../protocol/room.ts'
import type { SessionDocument } from '../../../core/protocol/session.ts'
import { threadSlugSchema } from '../../../core/protocol/thread.ts'
import { parseJson } from '../../../core/sessions/formats/json.ts'
import { agentsOf, type NewAgent } from './imported-agents.ts'
import { toDocument, type Draft } from '../../../core/sessions/formats/foreign/conversation.ts'
import {
  asText,
  type Fields,
  isFields,
  toInstant,
  toTitle,
} from '../../../core/sessions/formats/foreign/fields.ts'
import { readRoleConfig, type RoleConfig } from './role-config.ts'
import {
  findRoles,
  findSessionFiles,
  type FoundFiles,
  readBounded,
  type SessionFiles,
} from './thread-files.ts'
import { readThreadMessages } from './thread-messages.ts'

export type ThreadFolder = {
  document: SessionDocument
  /** Who is in it, for where they are not known yet. */
  agents: NewAgent[]
  source: string
  problems: string[]
}

// what the chat that wrote these folders takes for a title
const titleLength = 20

/**
 * Every session in the thread folders of `root`, one at a time. Where two folders hold the same session, the one
 * updated later counts. `problems` names what was left out: lines of this session and, with the first session,
 * whole folders. `source` is the folder, from `root`. `rolesFile` says who the agents are; without it, the one in
 * `root` does.
 */
export async function* readThreadFolders(root: string, rolesFile?: string): AsyncGenerator<ThreadFolder> {
  const base = await realpath(root).catch(() => undefined)
  if (base === undefined) throw invalidRequest(`There is no folder ${quote(root)}.`)
  const found = await findSessionFiles(base)
  const sessions = await chooseNewest(found)
  const { problems } = found
  if (sessions.length === 0 && problems.length > 0)
    throw invalidRequest(`No session can be imported from ${quote(root)}. ${problems.join(' ')}`)
  const roles = await readRoles(rolesFile ?? (await findRoles(base, problems)), problems)
  for (const session of sessions) {
    const thread = await readThread(session, roles)
    yield { ...thread, problems: [...problems.splice(0), ...thread.problems] }
  }
}

/** Reports the older copies. Keeps little of each session in memory: there may be many. */
async function chooseNewest({ sessions, problems }: FoundFiles): Promise<SessionFiles[]> {
  const newest = new Map<string, { session: SessionFiles; updatedAt: string }>()
  for (const session of sessions.values()) {
    const { meta } = await readMeta(session)
    const id = asText(meta.thread_id) ?? session.name
    const updatedAt = toInstant(meta.updated_at) ?? toInstant(meta.created_at) ?? ''
    const rival = newest.get(id)
    const isNewer = rival === undefined || updatedAt > rival.updatedAt
    if (rival)
      problems.push(`${(isNewer ? rival.session : session).source} is an older copy of ${quote(id)}.`)
    if (isNewer) newest.set(id, { session, updatedAt })
  }
  return Array.from(newest.values(), ({ session }) => session)
}

async function readRoles(path: string | undefined, problems: string[]): Promise<RoleConfig> {
  if (path === undefined) return { agents: [], roleMap: {} }
  const { meta, problems: found } = await readObject(path, 'role-config.json')
  problems.push(...found)
  return readRoleConfig(meta)
}

// what a folder can say beyond what every document can
const ownFacets = joinFacets([{ name: 'room', facets: roomFacets }])

async function readThread(session: SessionFiles, roles: RoleConfig): Promise<ThreadFolder> {
  const { meta, problems } = await readMeta(session)
  if (!session.messagesPath) problems.push('There is no messages.jsonl.')
  const rows = session.messagesPath ? await readBounded(session.messagesPath) : Buffer.alloc(0)
  const read = readThreadMessages(rows)
  problems.push(...read.problems)
  const document = toDocument(
    {
      id: [meta.thread_id, session.name].find((id) => idSchema.safeParse(id).success),
      title: toTitle(meta.title) || toTitle(read.messages[0] && messageText(read.messages[0]), titleLength),
      createdAt: meta.created_at,
      updatedAt: toInstant(meta.updated_at),
      ...(isFields(meta.mirrored) ? readOwn(meta) : readForeign(meta, read.messages, roles, problems)),
      thread: readSlug(session, meta, problems),
    },
    read.messages,
    ownFacets.documents,
  )
  const known = agentsOf(isFields(meta.mirrored) ? [] : read.messages, roles)
  const agents = (document.session.agents ?? []).map(
    (name) => known.find((agent) => agent.name === name) ?? { name },
  )
  return { document, agents, source: session.source, problems }
}

const readMeta = async ({ metaPath }: SessionFiles): Promise<{ meta: Fields; problems: string[] }> =>
  metaPath === undefined ? { meta: {}, problems: [] } : readObject(metaPath, 'meta.json')

async function readObject(path: string, what: string): Promise<{ meta: Fields; problems: string[] }> {
  try {
    const meta = parseJson((await readBounded(path)).toString().replace(/^\uFEFF/, ''), what)
    if (isFields(meta)) return { meta, problems: [] }
    return { meta: {}, problems: [`${what} is not an object: ${quote(meta)}.`] }
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { meta: {}, problems: [`${error.message} It was left out.`] }
  }
}

const readMode = ({ mode, mode_state: modeState }: Fields): Fields => ({
  mode: typeof mode === 'string' && mode.length > 0 && mode.length <= 100 ? mode : undefined,
  modeState: isFields(modeState) ? modeState : undefined,
})

/** What our own mirror wrote. */
const readOwn = (meta: Fields): Fields => ({
  ...readMode(meta),
  agents: roomAgentNamesSchema.safeParse(meta.agents).data,
  room: roomSettingsSchema.safeParse(meta.room).data,
})

/** Modes that are known here too, and how many agents they need. */
const leastAgents = new Map([
  ['free_chat', 1],
  ['workflow', 1],
  ['quiz', 2],
  ['werewolf', 5],
])

/** A chat in which agents spoke is a room. Its mode restarts: the state of another program means nothing here. */
function readForeign(meta: Fields, messages: Draft[], roles: RoleConfig, problems: string[]): Fields {
  const { mode, modeState } = readMode(meta)
  const isChat = mode !== undefined || messages.some(({ metadata }) => metadata?.agent !== undefined)
  const agents = isChat ? agentsOf(messages, roles).map(({ name }) => name) : []
  if (agents.length === 0) return { mode, modeState }
  const least = leastAgents.get(asText(mode) ?? 'free_chat')
  const isPossible = least !== undefined && agents.length >= least
  if (!isPossible)
    problems.push(
      `The mode ${quote(mode)} ${least === undefined ? 'is not known here' : `needs ${least} agents, and there are ${agents.length}`}; it is a free chat now.`,
    )
  const roleMap = Object.entries(roles.roleMap).filter(([, agent]) => agents.includes(agent))
  return {
    mode: isPossible ? (mode ?? 'free_chat') : 'free_chat',
    agents,
    ...(roleMap.length > 0 && { room: { roleMap: Object.fromEntries(roleMap) } }),
  }
}

/** Our own mirror says whether there is a thread; elsewhere each session of the newer layout has one. */
function readSlug({ thread }: SessionFiles, meta: Fields, problems: string[]): string | undefined {
  const given = isFields(meta.mirrored) ? asText(meta.thread) : (asText(meta.parent_thread) ?? thread)
  if (given === undefined) return undefined
  const slug = threadSlugSchema.safeParse(given.toLowerCase())
  if (!slug.success)
    problems.push(`The thread ${quote(given)} has no name that can be kept; it was left out.`)
  return slug.data
}
