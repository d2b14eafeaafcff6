import type { Path } from './blocks.ts'
import type { Fault } from './check-definition.ts'

/** Texts that no database can carry: they can be written as `"\0"`. */
export function findUnstorable(value: unknown, path: Path = []): Fault[] {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0')
      ? []
      : [{ path, message: 'holds a NUL character or half of a surrogate pair' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...(Array.isArray(value) ? [] : findUnstorable(key, [...path, key])),
    ...findUnstorable(item, [...path, Array.isArray(value) ? Number(key) : key]),
  ])
}
