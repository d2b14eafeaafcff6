import type { Path } from './blocks.ts'

/**
 * One change of a definition. `set` puts a value at a key, which may be new, or in the place of an item, and changes no
 * more than what differs; without a path it is the whole definition. `insert` puts one before the item with that number,
 * or behind the last.
 */
export type Edit =
  | { type: 'set'; path: Path; value: unknown }
  | { type: 'insert'; path: Path; value: unknown }
  | { type: 'remove'; path: Path }
