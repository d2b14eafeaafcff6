import type { ModelRequest } from './adapter.ts'
import type { Chance } from './demo-chance.ts'

/** What the demo model makes of a turn that an extension has shaped. */
export interface DemoPart {
  /** The words that may hold commands, where they are not the last message. */
  order?: string
  /** What is answered, where it is not the last message; the answer is in its language. */
  said?: string
  /** What the user said in earlier turns, where it is not each message as it is. */
  earlier?: string[]
  /** Said where no command says something else; default: an introduction. */
  speak?(chance: Chance): string
  /** The whole answer, whatever form is asked for; gets the order without its commands, and what these say. */
  reply?(rest: string, commanded: string | undefined): string
}

/** Undefined for a turn that is none of its business. The texts are those that the user wrote, the last one last. */
export type ReadDemoPart = (request: ModelRequest, texts: readonly string[]) => DemoPart | undefined
