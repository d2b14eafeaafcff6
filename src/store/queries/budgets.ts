import { conflict } from '../../protocol/error.ts'
import type { QueryContext } from '../context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** Undefined is no limit. */
export interface BudgetLimits {
  tokens?: number
  cost?: number
  tasks?: number
}

export interface Budget extends BudgetLimits {
  runId: string
  parentId?: string
  used: { tokens: number; cost: number; tasks: number }
  reserved: { tokens: number; cost: number }
}

export interface BudgetQueries {
  getBudget(runId: string): Promise<Budget | undefined>
  /** What a run and all below it may use. What it may use at most is reserved above it; throws when that is not left. */
  openBudget(runId: string, parentId: string | undefined, limits: BudgetLimits): Promise<void>
  /** One more task below a run; throws when it may have no more. */
  countTask(runId: string): Promise<void>
  /** Adds to what a run has used; what it was given counts, not what is above. */
  spendBudget(runId: string, amount: { tokens: number; cost: number }): Promise<void>
  /** Ends a budget: what was reserved for it above is given back, what it used is counted there. Once only. */
  closeBudget(runId: string): Promise<void>
}

export function budgetQueries(context: QueryContext): BudgetQueries {
  const { backend } = context
  const lock = async (tx: QueryContext, runId: string): Promise<Row | undefined> => {
    const query = backend.name === 'postgres' ? selectLocked : selectOne
    return (await query(tx, [runId]))[0]
  }
  return {
    async getBudget(runId) {
      const [row] = await selectOne(context, [runId])
      return row && toBudget(row)
    },

    openBudget: (runId, parentId, { tokens, cost, tasks }) =>
      context.transaction(async (tx) => {
        const parent = parentId === undefined ? undefined : await lock(tx, parentId)
        if (parent) {
          requireLeft(parent, { tokens, cost })
          await updateReserved(tx, [tokens ?? 0, cost ?? 0, parent.run_id])
        }
        await insertBudget(tx, [runId, parent?.run_id ?? null, tokens ?? null, cost ?? null, tasks ?? null])
      }),

    countTask: (runId) =>
      context.transaction(async (tx) => {
        for (let id: string | null = runId; id !== null;) {
          const row: Row | undefined = await lock(tx, id)
          if (!row) return
          if (row.max_tasks !== null && row.used_tasks >= row.max_tasks)
            throw conflict(`The budget allows ${row.max_tasks} tasks, and all of them were started.`)
          await updateTasks(tx, [row.run_id])
          id = row.parent_id
        }
      }),

    async spendBudget(runId, { tokens, cost }) {
      await updateUsed(context, [tokens, cost, runId])
    },

    closeBudget: (runId) =>
      context.transaction(async (tx) => {
        const row = await lock(tx, runId)
        if (!row?.parent_id) return
        await updateReserved(tx, [-(row.max_tokens ?? 0), -(row.max_cost ?? 0), row.parent_id])
        await updateUsed(tx, [row.used_tokens, row.used_cost, row.parent_id])
        // the link is the mark that it is still open
        await unlink(tx, [runId])
      }),
  }
}

type Row = Tables['budgets']

/** Refuses what is not left. A limit above must be met by one below, or the tree could get past it. */
function requireLeft(row: Row, wanted: BudgetLimits): void {
  const kinds = [
    ['tokens', wanted.tokens, row.max_tokens, row.used_tokens + row.reserved_tokens],
    ['cost', wanted.cost, row.max_cost, row.used_cost + row.reserved_cost],
  ] as const
  for (const [kind, asked, max, taken] of kinds) {
    if (max === null) continue
    const left = Math.max(0, max - taken)
    if (asked === undefined)
      throw conflict(`The budget is limited in ${kind}: say how much of the ${left} left the task may use.`)
    if (asked > left) throw conflict(`The budget has ${left} ${kind} left; the task asked for ${asked}.`)
  }
}

const selectOne = statement<Row>(`select * from budgets where run_id = ?`)
const selectLocked = statement<Row>(`select * from budgets where run_id = ? for update`)
const insertBudget = statement(`
  insert into budgets (run_id, parent_id, max_tokens, max_cost, max_tasks) values (?, ?, ?, ?, ?)
`)
const updateReserved = statement(`
  update budgets set reserved_tokens = reserved_tokens + ?, reserved_cost = reserved_cost + ? where run_id = ?
`)
const updateUsed = statement(`
  update budgets set used_tokens = used_tokens + ?, used_cost = used_cost + ? where run_id = ?
`)
const updateTasks = statement(`update budgets set used_tasks = used_tasks + 1 where run_id = ?`)
const unlink = statement(`update budgets set parent_id = null where run_id = ?`)

const toBudget = (row: Row): Budget => ({
  runId: row.run_id,
  parentId: row.parent_id ?? undefined,
  tokens: row.max_tokens ?? undefined,
  cost: row.max_cost ?? undefined,
  tasks: row.max_tasks ?? undefined,
  used: { tokens: row.used_tokens, cost: row.used_cost, tasks: row.used_tasks },
  reserved: { tokens: row.reserved_tokens, cost: row.reserved_cost },
})
