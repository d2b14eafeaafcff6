import type { ModelRequest } from './adapter.ts'

/** What the demo model makes of a turn that an extension has shaped. */
export interface DemoPart {
  /** The words that may hold commands, where they are not the last message. */
  order?: string
  /** What is answered, where it is not the last message; the answer is in its language. */
  said?: string
  /** What the user said in earlier turns, where it is not each message as it is. */
  earlier?: string[]
  /** The answer without a command; default: an introduction. */
  speak?(chance: Chance): string
  /** The whole answer, whatever form is required; gets the order without its commands, and what these say. */
  reply?(rest: string, commanded: string | undefined): string
}

/** Undefined for a turn that does not concern it. The texts are those that the user wrote, the last one last. */
export type ReadDemoPart = (request: ModelRequest, texts: readonly string[]) => DemoPart | undefined

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
