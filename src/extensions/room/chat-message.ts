/** The chat of the earlier interface: one request finds or creates a room, and waits for all answers. */
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { CreateAgent } from '../agents/protocol/agent.ts'
import { conflict, invalidRequest, ParleyError, quote } from '../../core/protocol/error.ts'
import { misfit } from '../../core/protocol/issues.ts'
import { toIssues } from '../../core/protocol/to-issues.ts'
import { roomAgentNamesSchema, type RoomChat } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import { threadSlugSchema } from '../../core/protocol/thread.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { readRoleConfig, type RoleConfig } from './import/role-config.ts'
import { ensureOpenThread } from '../../core/sessions/threads.ts'
import type { JoinedLifecycle } from '../../core/sessions/lifecycle.ts'
import { updateSession } from '../../core/sessions/update.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { createAgent, type AgentDeps } from '../agents/agents.ts'
import { checkRoomPatch, createRoomOrSession } from './create-room.ts'
import type { RoomDeps } from './room-service.ts'
import { requireRoom } from './open-room.ts'
import { setMode } from './rooms.ts'

export interface RoomChatDeps {
  roomDeps: RoomDeps
  agentDeps: AgentDeps
}

const titleLength = 20

/** The room of a message: created when none is named, and switched to the mode that the message requests. */
export function openRoomChat(
  store: StoreOperations,
  deps: RoomChatDeps,
  caller: Caller,
  body: RoomChat,
): Promise<Session> {
  const thread = readThread(body)
  const mode = findMode(deps, body.mode)
  return store.transaction(async (tx) => {
    const roles = await takeRoles(tx, deps, caller, body.role_config)
    if (body.thread_id === undefined)
      return createRoom(tx, deps, caller, { message: body.message, thread, mode, roles })
    const known = await requireRoom(tx, caller.scope, body.thread_id)
    requireThread(known, thread)
    const session = await changeRoles(tx, deps, caller, known, roles)
    if (mode === undefined || mode === session.mode) return session
    return setMode(tx, deps.roomDeps, caller, session.id, { mode })
  })
}

export const toRoomInput = ({ message }: RoomChat, ids: Ids): TurnInput => ({
  message: { id: ids.next('msg'), parts: [{ type: 'text', text: message }] },
})

function readThread({ thread_slug: slug, project_id: project = slug }: RoomChat): string | undefined {
  if (slug !== undefined && slug !== project)
    throw invalidRequest('thread_slug and project_id are two names of one thing: give one of them.')
  if (project === undefined) return undefined
  const read = threadSlugSchema.safeParse(project)
  if (!read.success)
    throw invalidRequest(
      `thread_slug: ${read.error.issues[0]!.message}.`,
      toIssues(read.error, project, { within: ['thread_slug'] }),
    )
  return read.data
}

/** A room without a thread is in no other one. */
function requireThread({ id, thread }: Session, wanted: string | undefined): void {
  if (wanted === undefined || thread === undefined || thread === wanted) return
  throw conflict(
    `The session ${quote(id)} belongs to the thread ${quote(thread)}, not to ${quote(wanted)}.`,
    { thread },
  )
}

/** An unknown name means the first mode; no name means none. */
const findMode = ({ roomDeps: { modes } }: RoomChatDeps, name: string | undefined): string | undefined =>
  name === undefined ? undefined : (modes.find((mode) => mode.name === name) ?? modes[0]!).name

/** Agents that are missing are stored; existing ones stay as they are, whatever the configuration contains. */
async function takeRoles(
  tx: StoreOperations,
  deps: RoomChatDeps,
  caller: Caller,
  config: Record<string, unknown> | undefined,
): Promise<RoleConfig> {
  const { agents, roleMap } = readRoleConfig(config ?? {})
  if (agents.length === 0) return { agents, roleMap }
  requireNames(agents.map(({ name }) => name))
  const known = new Map(
    (await deps.roomDeps.readAgents(tx, caller.scope)).map((one) => [foldName(one.name), one]),
  )
  for (const agent of agents)
    if (!known.has(foldName(agent.name)))
      await createAgent(deps.agentDeps, tx, caller, withKnownModel(deps, agent))
  return { agents: agents.map((agent) => known.get(foldName(agent.name)) ?? agent), roleMap }
}

/** Before any of them is stored. */
function requireNames(names: readonly string[]): void {
  const { error } = roomAgentNamesSchema.safeParse(names)
  if (error) throw misfit(error, names, { before: 'role_config: cats:', within: ['role_config', 'cats'] })
}

/** The models of another machine need not be here; its agents are all the same. */
function withKnownModel(
  { agentDeps }: RoomChatDeps,
  agent: Omit<CreateAgent, 'scope'>,
): Omit<CreateAgent, 'scope'> {
  if (agent.model === undefined) return agent
  try {
    agentDeps.requireModel(agent.model)
    return agent
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { ...agent, model: undefined }
  }
}

async function createRoom(
  tx: StoreOperations,
  { roomDeps }: RoomChatDeps,
  caller: Caller,
  given: { message: string; thread?: string; mode?: string; roles: RoleConfig },
): Promise<Session> {
  const { message, thread, mode = roomDeps.modes[0]!.name, roles } = given
  await tx.ensureScope(caller.scope)
  if (thread !== undefined) await ensureOpenThread(tx, caller, thread)
  const agents = roles.agents.map(({ name }) => name)
  return createRoomOrSession(tx, roomDeps, caller, {
    title: [...message.trim().replaceAll(/\s+/g, ' ')].slice(0, titleLength).join(''),
    mode,
    ...(agents.length > 0 && { agents, room: roleMapOf(agents, roles) }),
    thread,
  })
}

/** Of those who are there: a node of somebody else is done by whom the mode finds. */
function roleMapOf(agents: readonly string[], { roleMap }: RoleConfig) {
  const kept = Object.entries(roleMap).filter(([, agent]) => agents.includes(agent))
  return kept.length === 0 ? undefined : { roleMap: Object.fromEntries(kept) }
}

/** Roles of a later message apply from then on. */
async function changeRoles(
  tx: StoreOperations,
  { roomDeps }: RoomChatDeps,
  caller: Caller,
  session: Session,
  roles: RoleConfig,
): Promise<Session> {
  const given = roles.agents.map(({ name }) => name)
  const agents = given.length > 0 ? given : (session.agents ?? [])
  const room = { ...session.room, ...roleMapOf(agents, roles) }
  const before = JSON.stringify([session.agents ?? [], session.room ?? {}])
  if (JSON.stringify([agents, room]) === before) return session
  const lifecycle: Pick<JoinedLifecycle, 'checkPatch'> = {
    checkPatch: (inner, ...change) => checkRoomPatch(inner, roomDeps, ...change),
  }
  return updateSession(tx, { clock: roomDeps.clock, lifecycle }, caller, session.id, { agents, room })
}
