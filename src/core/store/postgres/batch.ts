import type { QueryResult } from 'kysely'
import pg from 'pg'
import { NotExecuted } from '../transaction.ts'
import type { PreparedStatements } from './prepared-statements.ts'

/** A statement on its way, and whoever waits for its answer. */
export interface Pending {
  text: string
  values: readonly Value[]
  /** The same text is sent again and again: the database keeps it, parsed. */
  isRepeated: boolean
  resolve(result: QueryResult<unknown>): void
  reject(error: unknown): void
}

/** As text, which the database reads as the type that it expects there. */
export type Value = string | Buffer | null

export type TypeParser = (type: number) => (text: string) => unknown

/**
 * Statements that are sent together and answered together. The database stops at the first that fails, and passes over
 * the others: of a transaction's beginning that failed, nothing after it takes place.
 */
export class Batch implements pg.Submittable {
  /** `pg` sets it when the address has a `query_timeout`, and wants it called at the end. */
  callback?: () => void
  readonly pending: readonly Pending[]
  readonly #prepared: PreparedStatements
  readonly #toParser: TypeParser
  readonly #ended: (error?: unknown) => void
  readonly #results: Result[] = []
  /** Texts that the database is to parse and keep, by the place of their statement. */
  readonly #parsed = new Map<number, string>()
  #columns: Column[] = []
  #rows: Record<string, unknown>[] = []
  #isOver = false

  constructor(
    pending: readonly Pending[],
    prepared: PreparedStatements,
    toParser: TypeParser,
    ended: (error?: unknown) => void,
  ) {
    this.pending = pending
    this.#prepared = prepared
    this.#toParser = toParser
    this.#ended = ended
  }

  /** One write, however many statements. */
  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const name of this.#prepared.takeUnused()) wire.close({ type: 'S', name })
    for (const [index, { text, values, isRepeated }] of this.pending.entries()) {
      const { name, isNew } = isRepeated ? this.#prepared.use(text) : unnamed
      if (isNew) wire.parse({ name, text })
      if (isNew && name) this.#parsed.set(index, text)
      wire.bind({ statement: name, values })
      wire.describe({ type: 'P' })
      wire.execute()
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#toParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < fields.length; index++) {
      const { name, parse } = this.#columns[index]!
      const text = fields[index]!
      row[name] = text === null ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (text === 'ROLLBACK' && this.pending[this.#results.length]!.text === 'commit')
      return this.handleError(new Error('The database rolled the transaction back.'))
    this.#results.push({ tag: text, rows: this.#rows })
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** Of the statement that is being answered; or of the connection, and then nobody knows what was executed of the rest. */
  handleError(error: Error): void {
    if (this.#isOver) return
    const failed = this.#results.length
    for (const [index, text] of this.#parsed) if (index >= failed) this.#prepared.forget(text)
    this.#end(error)
    const isKnown = error instanceof pg.DatabaseError
    for (const [index, { resolve, reject }] of this.pending.entries())
      if (index < failed) resolve(toResult(this.#results[index]!))
      else reject(index > failed && isKnown ? new NotExecuted(error) : error)
  }

  handleReadyForQuery(): void {
    if (this.#isOver) return
    this.#end()
    for (const [index, { resolve }] of this.pending.entries()) resolve(toResult(this.#results[index]!))
  }

  #end(error?: unknown): void {
    this.#isOver = true
    this.callback?.()
    this.#ended(error)
  }
}

interface Column {
  name: string
  parse(text: string): unknown
}

interface Result {
  /** Such as `INSERT 0 1`. */
  tag: string
  rows: Record<string, unknown>[]
}

/** What `pg` has for those who send on their own; its types ask for more than it takes. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly Value[] }): void
  describe(message: { type: 'P' }): void
  execute(): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

const unnamed = { name: '', isNew: true }

const countedCommand = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/

function toResult({ tag, rows }: Result): QueryResult<unknown> {
  const count = countedCommand.exec(tag)?.[1]
  return { rows, numAffectedRows: count === undefined ? undefined : BigInt(count) }
}
