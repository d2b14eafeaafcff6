import { sql } from 'kysely'
import { conflict } from '../../protocol/error.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** Undefined is no limit. */
export interface BudgetLimits {
  tokens?: number
  cost?: number
  tasks?: number
  /** Levels of tasks below the run. */
  depth?: number
  /** From now on, whatever the run and those below it do meanwhile. */
  seconds?: number
}

export interface Amount {
  tokens: number
  cost: number
}

export interface Budget extends Pick<BudgetLimits, 'tokens' | 'cost' | 'tasks'> {
  runId: string
  parentId?: string
  maxDepth?: number
  deadlineAt?: number
  used: Amount & { tasks: number }
  reserved: Amount
}

export interface BudgetQueries {
  getBudget(runId: string): Promise<Budget | undefined>
  /** What a run and all below it may use. What it may use at most is reserved above it; throws when that is not left. */
  openBudget(
    run: { id: string; depth: number },
    parentId: string | undefined,
    limits: BudgetLimits,
  ): Promise<void>
  /**
   * One more task under a budget and those above it; throws when one of them allows no more, or not so deep. Answers how
   * long it may take at most.
   */
  admitTask(budgetId: string, depth: number): Promise<{ remainingMs: number | undefined }>
  /** Sets aside what the next call of a run will use at least; answers why it must not be made. */
  holdBudget(budgetId: string, runId: string, next: Amount): Promise<string | undefined>
  /** Adds what a call of a run used to its budget, in place of what was set aside for it. */
  spendBudget(budgetId: string, runId: string, amount: Amount): Promise<void>
  /** The run has finished: what was reserved for it above is given back, what it used is counted there. Once only. */
  closeBudget(runId: string): Promise<void>
}

export function budgetQueries(context: QueryContext): BudgetQueries {
  const { backend } = context
  const lock = async (tx: QueryContext, runId: string): Promise<Row | undefined> => {
    const query = backend.name === 'postgres' ? selectLocked : selectOne
    return (await query(tx, [runId]))[0]
  }
  const now = async ({ db }: QueryContext) => {
    const { rows } = await sql<{ now: number }>`select ${backend.now} as now`.execute(db)
    return Number(rows[0]!.now)
  }
  return {
    async getBudget(runId) {
      const [row] = await selectOne(context, [runId])
      return row && toBudget(row)
    },

    openBudget: (run, parentId, { tokens, cost, tasks, depth, seconds }) =>
      context.transaction(async (tx) => {
        const parent = parentId === undefined ? undefined : await lock(tx, parentId)
        if (parent) {
          requireLeft(parent, { tokens, cost })
          await updateReserved(tx, [tokens ?? 0, cost ?? 0, parent.run_id])
        }
        await insertBudget(tx, [
          run.id,
          parent?.run_id ?? null,
          tokens ?? null,
          cost ?? null,
          tasks ?? null,
          depth === undefined ? null : run.depth + depth,
          seconds === undefined ? null : (await now(tx)) + seconds * 1_000,
        ])
      }),

    admitTask: (budgetId, depth) =>
      context.transaction(async (tx) => {
        const deadlines: number[] = []
        for (let id: string | null = budgetId; id !== null;) {
          const row: Row | undefined = await lock(tx, id)
          if (!row) break
          if (row.max_tasks !== null && row.used_tasks >= row.max_tasks)
            throw conflict(`The budget allows ${row.max_tasks} tasks, and all of them were started.`)
          if (row.max_depth !== null && depth > row.max_depth)
            throw conflict('The budget allows no tasks as deep as this one would be.')
          if (row.deadline_at !== null) deadlines.push(row.deadline_at)
          await updateTasks(tx, [row.run_id])
          id = row.parent_id
        }
        if (deadlines.length === 0) return { remainingMs: undefined }
        const remainingMs = Math.min(...deadlines) - (await now(tx))
        if (remainingMs <= 0) throw conflict('The time of the budget is over.')
        return { remainingMs }
      }),

    holdBudget: (budgetId, runId, next) =>
      context.transaction(async (tx) => {
        const row = await lock(tx, budgetId)
        if (!row) return undefined
        const [others] = await sumHolds(tx, [budgetId, runId])
        const sums = {
          tokens: row.used_tokens + row.reserved_tokens + Number(others!.tokens) + next.tokens,
          cost: row.used_cost + row.reserved_cost + Number(others!.cost) + next.cost,
        }
        const limits = { tokens: row.max_tokens, cost: row.max_cost }
        for (const kind of ['tokens', 'cost'] as const)
          if (limits[kind] !== null && sums[kind] > limits[kind])
            return `The next call would bring the ${kind} to about ${round(sums[kind])} of ${limits[kind]}.`
        if (row.deadline_at !== null && row.deadline_at <= (await now(tx)))
          return 'The time of the budget is over.'
        await upsertHold(tx, [runId, budgetId, next.tokens, next.cost])
        return undefined
      }),

    spendBudget: (budgetId, runId, { tokens, cost }) =>
      context.transaction(async (tx) => {
        await updateUsed(tx, [tokens, cost, budgetId])
        await deleteHold(tx, [runId])
      }),

    closeBudget: (runId) =>
      context.transaction(async (tx) => {
        await deleteHold(tx, [runId])
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
function requireLeft(row: Row, wanted: Pick<BudgetLimits, 'tokens' | 'cost'>): void {
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

const round = (value: number) => Math.round(value * 10_000) / 10_000

const selectOne = statement<Row>(`select * from budgets where run_id = ?`)
const selectLocked = statement<Row>(`select * from budgets where run_id = ? for update`)
const insertBudget = statement(`
  insert into budgets (run_id, parent_id, max_tokens, max_cost, max_tasks, max_depth, deadline_at)
  values (?, ?, ?, ?, ?, ?, ?)
`)
const updateReserved = statement(`
  update budgets set reserved_tokens = reserved_tokens + ?, reserved_cost = reserved_cost + ? where run_id = ?
`)
const updateUsed = statement(`
  update budgets set used_tokens = used_tokens + ?, used_cost = used_cost + ? where run_id = ?
`)
const updateTasks = statement(`update budgets set used_tasks = used_tasks + 1 where run_id = ?`)
const unlink = statement(`update budgets set parent_id = null where run_id = ?`)
const sumHolds = statement<Amount>(`
  select coalesce(sum(tokens), 0) as tokens, coalesce(sum(cost), 0) as cost
  from budget_holds where budget_id = ? and run_id <> ?
`)
const upsertHold = statement(`
  insert into budget_holds (run_id, budget_id, tokens, cost) values (?, ?, ?, ?)
  on conflict (run_id) do update set tokens = excluded.tokens, cost = excluded.cost
`)
const deleteHold = statement(`delete from budget_holds where run_id = ?`)

const toBudget = (row: Row): Budget => ({
  runId: row.run_id,
  parentId: row.parent_id ?? undefined,
  tokens: row.max_tokens ?? undefined,
  cost: row.max_cost ?? undefined,
  tasks: row.max_tasks ?? undefined,
  maxDepth: row.max_depth ?? undefined,
  deadlineAt: row.deadline_at ?? undefined,
  used: { tokens: row.used_tokens, cost: row.used_cost, tasks: row.used_tasks },
  reserved: { tokens: row.reserved_tokens, cost: row.reserved_cost },
})
