import type { AgentFile, AgentSet } from './agent-files.ts'
import type { Problem } from '../../core/context/context-places.ts'
import type {
  Agent,
  AgentDefinition,
  AgentListQuery,
  AgentPage,
  CreateAgent,
  UpdateAgent,
} from './protocol/agent.ts'
import { conflict, invalidRequest, notFound, ParleyError, quote } from '../../core/protocol/error.ts'
import { checkAt } from '../../core/protocol/issues.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import type { AgentRecord } from './store/agents.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { findClash, keepFreeWords } from './agent-names.ts'
import { shippedAgents } from './shipped-agents.ts'

export interface AgentDeps {
  /** Those in files of a folder and of the user; without a folder, of the user. Must not ask the store. */
  readAgentFiles(root: string | undefined): Promise<Pick<AgentSet, 'agents' | 'problems'>>
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
}

// each is read with every input to a room
const maxStored = 500

/** The agents of a scope by name: those that are stored, of the project, of the user, and those that come with Parley. */
export async function readAgents(
  deps: AgentDeps,
  store: StoreOperations,
  scope: string,
): Promise<readonly Agent[]> {
  return (await readAll(deps, store, scope)).agents
}

export async function listAgents(
  deps: AgentDeps,
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { limit, cursor }: Omit<AgentListQuery, 'scope'>,
): Promise<AgentPage> {
  const count = requireLimit(pages, limit)
  const after = cursor === undefined ? '' : readCursor(cursor)
  const { agents, problems } = await readAll(deps, store, scope)
  const rest = agents.filter(({ name }) => foldName(name) > after)
  const items = rest.slice(0, count)
  const last = rest.length > count ? items.at(-1) : undefined
  return { items, problems, nextCursor: last ? toCursor(last) : null }
}

export async function getAgent(
  deps: AgentDeps,
  store: StoreOperations,
  { scope }: Pick<Caller, 'scope'>,
  name: string,
): Promise<Agent> {
  const agent = (await readAgents(deps, store, scope)).find((one) => foldName(one.name) === foldName(name))
  if (!agent) throw notFound('agent', name)
  return agent
}

export function createAgent(
  deps: AgentDeps,
  store: StoreOperations,
  caller: Caller,
  { name, ...definition }: Omit<CreateAgent, 'scope'>,
): Promise<Agent> {
  checkModel(deps, definition.model)
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const stored = await tx.lockAgents(caller.scope)
    const rival = findStored(stored, name)
    if (rival) throw conflict(`There is an agent ${quote(rival.name)} already.`, { name: rival.name })
    if (stored.length >= maxStored)
      throw conflict(`The scope has ${maxStored} stored agents, which is the most; delete one first.`)
    return saveAgent(deps, tx, caller, 'create', { name, ...definition })
  })
}

function checkModel(deps: AgentDeps, model: string | null | undefined): void {
  if (typeof model === 'string') checkAt(['model'], () => deps.requireModel(model))
}

/** `null` takes a value away. */
export function updateAgent(
  deps: AgentDeps,
  store: StoreOperations,
  caller: Caller,
  name: string,
  patch: Omit<UpdateAgent, 'scope'>,
): Promise<Agent> {
  checkModel(deps, patch.model)
  return store.transaction(async (tx) => {
    const agent = await requireStored(deps, tx, caller, name, 'change')
    const merged = Object.entries({ ...agent.definition, ...patch })
    const definition = Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined))
    return saveAgent(deps, tx, caller, 'update', { ...(definition as AgentDefinition), name: agent.name })
  })
}

/** Its rooms continue without it; an agent of the same name from a file is visible again. */
export function deleteAgent(
  deps: AgentDeps,
  store: StoreOperations,
  caller: Caller,
  name: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const agent = await requireStored(deps, tx, caller, name, 'delete')
    await tx.deleteAgent(caller.scope, agent.name)
    await record(tx, caller, 'delete', agent.name)
  })
}

/** The caller holds the lock on the agents of the scope. */
async function saveAgent(
  deps: AgentDeps,
  tx: StoreOperations,
  caller: Caller,
  action: 'create' | 'update',
  { name, ...definition }: AgentDefinition & { name: string },
): Promise<Agent> {
  const others = (await readAgents(deps, tx, caller.scope)).filter(
    (one) => foldName(one.name) !== foldName(name),
  )
  const clash = findClash({ name, ...definition }, others)
  if (clash && !clash.other)
    throw invalidRequest(
      `No agent goes by ${quote(clash.word)}: it means somebody in every room. So do operator, room, all and everyone, however they are written.`,
    )
  if (clash?.other)
    throw conflict(
      `The agent ${quote(clash.other.name)} goes by ${quote(clash.word)} already${placeOf(clash.other)}.`,
      { word: clash.word, agent: clash.other.name },
    )
  const saved = await tx.putAgent(caller.scope, name, definition)
  await record(tx, caller, action, name)
  return fromRecord(saved)
}

async function requireStored(
  deps: AgentDeps,
  tx: StoreOperations,
  { scope }: Caller,
  name: string,
  deed: 'change' | 'delete',
): Promise<AgentRecord> {
  const stored = findStored(await tx.lockAgents(scope), name)
  if (stored) return stored
  const agent = await getAgent(deps, tx, { scope }, name)
  const hide = `POST /api/agents with the name ${quote(agent.name)} makes one that hides it`
  throw conflict(
    agent.path === undefined
      ? `The agent ${quote(agent.name)} comes with Parley and cannot be ${deed}d; ${hide}.`
      : `The agent ${quote(agent.name)} is the file ${agent.path}: ${deed} that. Or ${hide}.`,
    { name: agent.name, source: agent.source },
  )
}

/** The event last: others wait for the row of the scope. */
async function record(
  tx: StoreOperations,
  { scope, actor }: Caller,
  action: 'create' | 'update' | 'delete',
  name: string,
): Promise<void> {
  await tx.recordAudit(scope, { actor, action, resourceType: 'agent', resourceId: name })
  await tx.recordEvent(scope, {
    type: action === 'delete' ? 'agent-deleted' : 'agent-saved',
    data: { name },
  })
}

const findStored = (stored: readonly AgentRecord[], name: string): AgentRecord | undefined =>
  stored.find((one) => foldName(one.name) === foldName(name))

const placeOf = ({ path, source }: Agent): string =>
  path !== undefined ? ` (${path})` : source === 'shipped' ? ' (it comes with Parley)' : ''

async function readAll(
  deps: AgentDeps,
  store: StoreOperations,
  scope: string,
): Promise<{ agents: Agent[]; problems: Problem[] }> {
  const root = (await store.getScope(scope))?.root
  const files = await deps.readAgentFiles(root)
  const problems = [...files.problems]
  const inFiles = files.agents.map((file) => withKnownModel(deps, file, problems))
  const stored = (await store.listAgents(scope)).map(fromRecord)
  const { agents, taken } = keepFreeWords(firstOfEach([...stored, ...inFiles, ...shippedAgents]))
  for (const { agent, word, by } of taken)
    if (agent.path !== undefined)
      problems.push({
        path: agent.path,
        message: by
          ? `is not called ${quote(word)}: ${quote(by.name)} is`
          : `is not called ${quote(word)}: that means somebody in every room`,
      })
  const byName = agents.sort((one, two) => (foldName(one.name) < foldName(two.name) ? -1 : 1))
  return { agents: byName, problems }
}

/** A file may name a model that this machine does not have; its agent is there all the same. */
function withKnownModel({ requireModel }: AgentDeps, file: AgentFile, problems: Problem[]): Agent {
  if (file.model === undefined) return file
  try {
    requireModel(file.model)
    return file
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    problems.push({ path: file.path, message: `is used without its model. ${error.message}` })
    const { model: _, ...rest } = file
    return rest
  }
}

function firstOfEach(agents: readonly Agent[]): Agent[] {
  const found = new Map<string, Agent>()
  for (const agent of agents) if (!found.has(foldName(agent.name))) found.set(foldName(agent.name), agent)
  return [...found.values()]
}

const fromRecord = ({ name, definition, createdAt, updatedAt }: AgentRecord): Agent => ({
  name,
  ...definition,
  source: 'stored',
  createdAt: toTimestamp(createdAt),
  updatedAt: toTimestamp(updatedAt),
})

const toCursor = ({ name }: Agent): string => Buffer.from(`a:${foldName(name)}`).toString('base64url')

function readCursor(cursor: string): string {
  const [, key] = /^a:(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (key === undefined)
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return key
}
