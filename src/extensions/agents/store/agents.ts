import type { AgentDefinition } from '../protocol/agent.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { AgentRow } from './tables.ts'

/** An agent as it is stored; times are milliseconds. */
export interface AgentRecord {
  scope: string
  name: string
  definition: AgentDefinition
  createdAt: number
  updatedAt: number
}

export interface AgentQueries {
  /** All of a scope, by name. */
  listAgents(scope: string): Promise<AgentRecord[]>
  /** The same; keeps others from changing any of them, or adding one, until the transaction ends. */
  lockAgents(scope: string): Promise<AgentRecord[]>
  /** Writes the whole definition, new or not. */
  putAgent(scope: string, name: string, definition: AgentDefinition): Promise<AgentRecord>
  deleteAgent(scope: string, name: string): Promise<void>
}

export function agentQueries(context: QueryContext): AgentQueries {
  const { clock } = context

  const listAgents: AgentQueries['listAgents'] = async (scope) =>
    (await selectAll(context, [scope])).map(fromRow)

  return {
    listAgents,

    async lockAgents(scope) {
      // a name that is still free has no row to lock
      await lockScope(context, [scope])
      return listAgents(scope)
    },

    async putAgent(scope, name, definition) {
      const now = clock.now()
      const [row] = await upsert(context, [scope, name, JSON.stringify(definition), now, now])
      return fromRow(row!)
    },

    async deleteAgent(scope, name) {
      await remove(context, [scope, name])
    },
  }
}

const fromRow = (row: AgentRow): AgentRecord => ({
  scope: row.scope,
  name: row.name,
  definition: JSON.parse(row.definition) as AgentDefinition,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const selectAll = statement<AgentRow>(`select * from agents where scope = ? order by name`)
const lockScope = statement(`select name from scopes where name = ? {forUpdate}`)
const upsert = statement<AgentRow>(`
  insert into agents (scope, name, definition, created_at, updated_at) values (?, ?, ?, ?, ?)
  on conflict (scope, name) do update set definition = excluded.definition, updated_at = excluded.updated_at
  returning *
`)
const remove = statement(`delete from agents where scope = ? and name = ?`)
