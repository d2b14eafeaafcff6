import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'

/** What a model was offered to call. */
export interface ToolList {
  /** Of all that was sent of them. */
  toolsHash: string
  /** Those whose schemas were sent. */
  tools: string[]
  /** Those that were offered by a line. */
  listedTools: readonly string[]
}

export interface ToolListQueries {
  /** Of the same id the list is the same: the first one stays. */
  addToolList(id: string, list: ToolList): Promise<void>
  getToolList(id: string): Promise<ToolList | undefined>
}

export function toolListQueries(context: QueryContext): ToolListQueries {
  return {
    async addToolList(id, list) {
      await insertList(context, [id, JSON.stringify(list)])
    },
    async getToolList(id) {
      const [row] = await selectList(context, [id])
      return row && (JSON.parse(row.list) as ToolList)
    },
  }
}

const insertList = statement(`insert into tool_lists (id, list) values (?, ?) on conflict (id) do nothing`)
const selectList = statement<{ list: string }>(`select list from tool_lists where id = ?`)
