import type { z } from 'zod'
import type { Block, Place } from './facets.ts'

/** Fields of the core with those of extensions beside the ones that they name. */
export const placed = <Fields extends z.ZodRawShape>(
  fields: Fields,
  blocks: readonly Block<object>[],
): Fields & z.ZodRawShape =>
  placedEntries<z.core.$ZodType>(
    fields,
    blocks.map(({ fields: list, after, before }) => ({ list, after, before })),
  ) as Fields & z.ZodRawShape

/** The same for any values by name. A neighbour may come later in the list; without it, they stand at the end. */
export function placedEntries<Value>(
  own: Readonly<Record<string, Value>>,
  blocks: readonly (Place & { readonly list: object })[],
): Record<string, Value> {
  const entries: [string, Value][] = Object.entries(own)
  let waiting: typeof blocks = []
  for (const block of blocks) {
    waiting = [...waiting, block]
    for (let before = -1; before !== waiting.length;) {
      before = waiting.length
      waiting = waiting.filter((one) => !insert(one))
    }
  }
  for (const { list } of waiting) entries.push(...Object.entries(list))
  return Object.fromEntries(entries)

  function insert({ list, after, before }: (typeof blocks)[number]): boolean {
    const neighbour = after ?? before
    const at = entries.findIndex(([name]) => name === neighbour)
    if (neighbour !== undefined && at < 0) return false
    const place = neighbour === undefined ? entries.length : after === undefined ? at : at + 1
    entries.splice(place, 0, ...Object.entries(list))
    return true
  }
}
