import { setImmediate as others } from 'node:timers/promises'
import type { QueryContext } from './query-context.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

// with ten columns well below what both databases take as values of one statement
const rowsAtOnce = 500

/** Many rows in few statements; `ending` handles existing rows, or returns columns. */
export async function insertAll<Table extends keyof Tables & string, Answer = unknown>(
  context: QueryContext,
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
  rows: readonly (string | number | null)[][],
  ending = '',
): Promise<Answer[]> {
  const group = `(${columns.map(() => '?').join(', ')})`
  const insert = (count: number) =>
    statement<Answer>(
      `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: count }, () => group).join(', ')} ${ending}`,
    )
  const insertMost = rows.length >= rowsAtOnce ? insert(rowsAtOnce) : undefined
  const answers: Answer[] = []
  for await (const slice of slices(rows, rowsAtOnce)) {
    const insertSlice = slice.length === rowsAtOnce ? insertMost! : insert(slice.length)
    answers.push(...(await insertSlice(context, slice.flat())))
  }
  return answers
}

/** Parts of a long list, with a turn for others between two of them: SQLite does its work in this thread. */
export async function* slices<Item>(items: readonly Item[], size = rowsAtOnce): AsyncGenerator<Item[]> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await others()
    yield items.slice(start, start + size)
  }
}

// a database takes so many values in one statement
export const portion = 500

export function* inPortions<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += portion) yield items.slice(start, start + portion)
}

/** The fields that a patch contains; a null among them is deliberate. */
export const givenFields = <Fields>(patch: object): Partial<Fields> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Fields>
