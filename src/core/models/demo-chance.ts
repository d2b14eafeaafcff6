import type { ModelRequest } from './adapter.ts'

/** One of so many, from 0; the same for the same request and the same thing that is chosen. */
export type Chance = (count: number, about: string) => number

export function toChance({ system, messages }: ModelRequest): Chance {
  const seed = hash(JSON.stringify([system, messages]))
  return (count, about) => hash(about, seed) % count
}

/** FNV-1a, with its bits mixed, since the last ones alone are hardly by chance. */
function hash(text: string, seed = 0x811c9dc5): number {
  let value = seed
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}
