import { CompiledQuery } from 'kysely'
import type { QueryContext } from './query-context.ts'

type Value = string | number | null

/** A query whose text is sent again and again. */
export interface RepeatedQuery extends CompiledQuery {
  isRepeated: true
}

/**
 * A query on the hot path, with `?` for its values, `{now}` for the time that leases are measured by and `{forUpdate}`
 * for what locks the rows it reads. Its text is made once, where the query builder would build and compile it again for every message.
 */
export function statement<Row>(text: string) {
  // SQLite takes the time as one more value, in its place among the others
  const nowAt = [...text.matchAll(/\?|\{now\}/g)].flatMap(([found], index) => (found === '?' ? [] : [index]))
  const plain = text.replaceAll('{now}', '?').replaceAll('{forUpdate}', '')
  const { query, queryId } = CompiledQuery.raw(plain)
  const toQuery = (sql: string, parameters: Value[]): RepeatedQuery => ({
    sql,
    parameters,
    query,
    queryId,
    isRepeated: true,
  })
  let numbered: string | undefined
  return async ({ db, backend, clock }: QueryContext, values: Value[]): Promise<Row[]> => {
    if (backend.name === 'postgres') {
      let count = 0
      numbered ??= text
        .replace(/\?/g, () => `$${++count}`)
        .replaceAll('{now}', backend.now.compile(backend.db).sql)
        .replaceAll('{forUpdate}', backend.forUpdate.compile(backend.db).sql)
      return (await db.executeQuery<Row>(toQuery(numbered, values))).rows
    }
    const all = nowAt.length === 0 ? values : [...values]
    for (const index of nowAt) all.splice(index, 0, clock.now())
    return (await db.executeQuery<Row>(toQuery(plain, all))).rows
  }
}
