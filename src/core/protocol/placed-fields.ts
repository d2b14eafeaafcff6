import type { z } from 'zod'
import type { Block } from './facets.ts'

/** Fields of the core with those of extensions behind the ones that they name. */
export function placed<Fields extends z.ZodRawShape>(
  fields: Fields,
  blocks: readonly Block<object>[],
): Fields & z.ZodRawShape {
  const entries: [string, z.core.$ZodType][] = Object.entries(fields)
  for (const { fields: added, after } of blocks) {
    const place = entries.findIndex(([name]) => name === after)
    entries.splice(place < 0 ? entries.length : place + 1, 0, ...Object.entries(added))
  }
  return Object.fromEntries(entries) as Fields & z.ZodRawShape
}
