import { createHash } from 'node:crypto'

// a text that was parsed and planned takes some 20 KB in the database, for each connection that keeps it
const maxKept = 100

/** What all connections of a pool know of the statements that they keep parsed. */
export interface Preparation {
  /** False where what forwards connections does not keep them. */
  isOn: boolean
  /** Moves when all that is kept has to be parsed again. */
  generation: number
}

/** The texts that the database keeps for one connection, under names that are the same on all. */
export class PreparedStatements {
  readonly #preparation: Preparation
  /** Names by text; the one that was not used for the longest time comes first. */
  readonly #names = new Map<string, string>()
  #generation: number
  #unused: string[] = []

  constructor(preparation: Preparation) {
    this.#preparation = preparation
    this.#generation = preparation.generation
  }

  /** The name of a text; one that is new has to be parsed under it. */
  use(text: string): { name: string; isNew: boolean } {
    if (!this.#preparation.isOn) return { name: '', isNew: true }
    const known = this.#names.get(text)
    this.#names.delete(text)
    const name = known ?? toName(text)
    this.#names.set(text, name)
    return { name, isNew: known === undefined }
  }

  /** It was not parsed, or nobody knows. */
  forget(text: string): void {
    const name = this.#names.get(text)
    if (name === undefined) return
    this.#names.delete(text)
    this.#unused.push(name)
  }

  /** Names that the database is to forget, before anything else is sent. */
  takeUnused(): string[] {
    const isOutdated = this.#generation !== this.#preparation.generation
    this.#generation = this.#preparation.generation
    const most = isOutdated ? 0 : maxKept
    for (const text of this.#names.keys()) {
      if (this.#names.size <= most) break
      this.forget(text)
    }
    return this.#unused.splice(0)
  }
}

/** Of its text alone: whoever finds the name taken on a connection finds this text. */
const toName = (text: string) =>
  `parley_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
