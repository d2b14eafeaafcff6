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

type Named = Place & { readonly list: object }

/** The same for any values by name. A neighbour may come later in the list; without it, they stand at the end. */
export function placedEntries<Value>(
  own: Readonly<Record<string, Value>>,
  blocks: readonly Named[],
): Record<string, Value> {
  const entries: [string, Value][] = Object.entries(own)
  const waiting: Named[] = []
  for (const block of blocks) insert(block)
  for (const { list } of waiting) entries.push(...Object.entries(list))
  return Object.fromEntries(entries)

  function insert(block: Named): void {
    const { list, after, before } = block
    const neighbour = after ?? before
    const at = entries.findIndex(([name]) => name === neighbour)
    if (neighbour !== undefined && at < 0) {
      waiting.push(block)
      return
    }
    const place = neighbour === undefined ? entries.length : after === undefined ? at : at + 1
    entries.splice(place, 0, ...Object.entries(list))
    // one of them may have been waiting for this neighbour
    for (const one of waiting.splice(0)) insert(one)
  }
}
