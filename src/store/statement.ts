import { CompiledQuery } from 'kysely'
import type { QueryContext } from './context.ts'

type Value = string | number | null

/**
 * A query on the hot path, with `?` for its values. Its text is made once, where the query builder would
 * build and compile it again for every message.
 */
export function statement<Row>(text: string) {
  let count = 0
  const numbered = text.replace(/\?/g, () => `$${++count}`)
  return async ({ db, backend }: QueryContext, values: Value[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(backend.name === 'postgres' ? numbered : text, values)))
      .rows
}
