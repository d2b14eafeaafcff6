import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type pg from 'pg'
import type { RepeatedQuery } from '../statement.ts'
import { NotExecuted } from '../transaction.ts'
import { Batch, type Pending, type TypeParser, type Value } from './batch.ts'
import { isPreparedOutdated, isPreparedLost } from './errors.ts'
import { PreparedStatements, type Preparation } from './prepared-statements.ts'

/**
 * A connection that sends all statements together that are issued before the program waits for an answer, or while
 * an answer is on its way. A transaction begins with its first statements and ends with its last.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #toParser: TypeParser
  readonly #preparation: Preparation
  readonly #prepared: PreparedStatements
  #waiting: Pending[] = []
  #isScheduled = false
  #isSending = false
  #isInTransaction = false
  /** The first failure of the transaction that is open; nothing more is sent of it. */
  #failure: { error: unknown } | undefined
  #isBroken = false

  constructor(client: pg.PoolClient, preparation: Preparation, toParser: TypeParser) {
    this.#client = client
    this.#preparation = preparation
    this.#toParser = toParser
    this.#prepared = new PreparedStatements(preparation)
  }

  async executeQuery<Row>(query: CompiledQuery | RepeatedQuery): Promise<QueryResult<Row>> {
    const values = query.parameters.map(toValue)
    const isRepeated = 'isRepeated' in query
    // a transaction is tried again as a whole
    const isAlone = !this.#isInTransaction
    for (;;)
      try {
        return (await this.#send(query.sql, values, isRepeated)) as QueryResult<Row>
      } catch (error) {
        if (isAlone && (isPreparedOutdated(error) || isPreparedLost(error))) continue
        // the stack that it has leads to the socket
        if (error instanceof Error) Error.captureStackTrace(error)
        throw error
      }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  /** Costs nothing by itself: it is sent with the first statement. */
  begin(): void {
    this.#isInTransaction = true
    this.#waiting.push(begin)
  }

  /** Together with what was issued before it and not answered yet. */
  async commit(): Promise<void> {
    if (this.#waiting.length === 1 && !this.#hasBegun()) this.#waiting = []
    else await this.#send('commit', [], true)
    this.#leave()
  }

  /** Never fails: a connection that cannot say so is closed, and then the database does the same. */
  async rollback(): Promise<void> {
    const hasBegun = this.#hasBegun()
    this.#passOver(this.#failure?.error)
    this.#leave()
    if (!hasBegun) return
    await this.#send('rollback', [], true).catch(() => {
      this.#isBroken = true
    })
  }

  release(): void {
    this.#client.release(this.#isBroken)
  }

  #hasBegun(): boolean {
    return this.#waiting[0]?.text !== begin.text
  }

  #leave(): void {
    this.#isInTransaction = false
    this.#failure = undefined
  }

  #send(text: string, values: readonly Value[], isRepeated: boolean): Promise<QueryResult<unknown>> {
    if (this.#failure) return Promise.reject(new NotExecuted(this.#failure.error))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, values, isRepeated, resolve, reject })
      this.#sendSoon()
    })
  }

  /** When the program has nothing left to do but wait. */
  #sendSoon(): void {
    if (this.#isScheduled || this.#isSending) return
    this.#isScheduled = true
    process.nextTick(() => {
      this.#isScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const pending = this.#waiting
    if (pending.length === 0) return
    this.#waiting = []
    this.#isSending = true
    this.#client.query(
      new Batch(pending, this.#prepared, this.#toParser, (error) => {
        this.#isSending = false
        if (error !== undefined) this.#noteFailure(error)
        if (this.#waiting.length > 0) this.#sendSoon()
      }),
    )
  }

  #noteFailure(error: unknown): void {
    if (isPreparedOutdated(error)) this.#preparation.generation++
    if (isPreparedLost(error)) this.#preparation.isOn = false
    if (!this.#isInTransaction) return
    this.#failure = { error }
    this.#passOver(error)
  }

  /** What was issued and not sent yet. */
  #passOver(error: unknown): void {
    for (const { reject } of this.#waiting) reject(new NotExecuted(error))
    this.#waiting = []
  }
}

const begin: Pending = {
  text: 'begin',
  values: [],
  isRepeated: true,
  resolve: () => {},
  // so does what is sent with it
  reject: () => {},
}

function toValue(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value === 'object') throw new TypeError('A value of a statement is an object.')
  return String(value)
}
