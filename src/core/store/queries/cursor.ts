import { sql } from 'kysely'
import { invalidRequest, quote } from '../../protocol/error.ts'

export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/** Where a list by time continues: the last item's time, and its id for items of the same millisecond. */
export function encodeCursor(time: number, id: string): string {
  return Buffer.from(`${time}:${id}`).toString('base64url')
}

export function decodeCursor(cursor: string): [time: number, id: string] {
  const [, time, id] =
    /^(\d{1,16}):([\x20-\x7e]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (time === undefined || id === undefined)
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return [Number(time), id]
}

/** The condition that a list by time, newest first, continues after the cursor. */
export function isAfterCursor(timeColumn: string, cursor: string, idColumn = 'id') {
  const [time, id] = decodeCursor(cursor)
  return sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${time}, ${id})`
}

/** Lists read one row more than requested: it shows whether there is a next page. */
export function toPage<Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  timeOf: (row: Row) => number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items: items.map(toItem), nextCursor: last ? encodeCursor(timeOf(last), last.id) : null }
}
