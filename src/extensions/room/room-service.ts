import type { SessionTypes } from '../../core/chat/session-types.ts'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import type { Agent } from '../agents/protocol/agent.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import type { CommandOutcome, Mode } from './modes/mode.ts'

export interface RoomLimits {
  /** How often in a row agents call one another. */
  hopLimit: number
  /** Rounds that an agent rests before another can call it. */
  coolDown: number
  /** Answers to one input, of all agents. */
  maxReplies: number
  /** How many messages back the mode can be brought with the log. */
  keptStates: number
  /** How long an agent may take for one answer. */
  agentTimeoutMs: number
  /** What commands of a workflow may begin with. */
  testCommands: readonly string[]
  /** How long one of them may take. */
  testTimeoutMs: number
}

export const defaultRoomLimits: RoomLimits = {
  hopLimit: 3,
  coolDown: 0,
  maxReplies: 50,
  keptStates: 200,
  agentTimeoutMs: 300_000,
  testCommands: ['npm test', 'npm run test', 'node --test', 'pnpm test', 'yarn test'],
  testTimeoutMs: 120_000,
}

/** What rooms work with. */
export interface RoomDeps {
  store: Store
  chats: ChatRuns
  clock: Clock
  ids: Ids
  limits: RoomLimits
  /** How many turns in a row may begin by themselves. */
  maxWakes?: number
  types: SessionTypes
  modes: readonly Mode[]
  /** The agents of a scope by name: stored ones, those from files, those that come with Parley. */
  readAgents(tx: StoreOperations, scope: string): Promise<readonly Agent[]>
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** Stops the tasks that a session started. */
  cancelTasksOf(scope: string, sessionId: string): Promise<unknown>
  /** Deletes the session of an agent, and stops the tasks that it started. */
  deleteSession(tx: StoreOperations, scope: string, sessionId: string): Promise<unknown>
  /** Runs test commands of a workflow where the session works, one after another, without a shell. */
  runCommands(session: Session, commands: readonly string[], signal: AbortSignal): Promise<CommandOutcome[]>
}
