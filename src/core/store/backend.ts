import type { Kysely, RawBuilder } from 'kysely'
import type { ParleyError } from '../protocol/error.ts'
import type { OwnerLocks } from './owner-locks.ts'
import type { SearchTerm } from './search-words.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

export type Alongside = (answer: Promise<unknown>) => Promise<void>

/** The words of one piece of a message; seq 0: of the title. */
export interface IndexEntry {
  seq: number
  words: readonly string[]
}

/** What truly differs between the databases; everything else is one set of queries. */
export interface Backend {
  readonly name: 'sqlite' | 'postgres'
  readonly db: Db
  /**
   * All of it commits, or none. With `alongside` an answer is not waited for, where that spares a round trip: its statements
   * are executed in their order, and its failure is that of the transaction.
   */
  transaction<T>(work: (db: Db, alongside: Alongside) => Promise<T>): Promise<T>
  /** The clock that leases and deadlines are measured by: one for all nodes of a store. */
  readonly now: RawBuilder<number>
  /** `FOR UPDATE` where rows can be locked one by one; nothing where a writer has the whole file. */
  readonly forUpdate: RawBuilder<unknown>
  /** The same, and nobody makes rows that point at these: of what is about to be deleted. */
  readonly forDelete: RawBuilder<unknown>
  /** Until the transaction ends, nobody else counts or claims background runs. */
  lockSlots(db: Db): Promise<void>
  /** The same, leaving out rows that somebody else has locked. */
  readonly skipLocked: RawBuilder<unknown>
  readonly owners: OwnerLocks
  /** All migrations of one start run under this: two nodes that start at once take turns. */
  withMigrationLock<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Takes words into the search index; all of them together are about as many as one step takes in. */
  indexWords(db: Db, sessionId: string, entries: readonly IndexEntry[]): Promise<void>
  /** Tidies the search index up a little, where the database does not do so by itself; part of each step of the index. */
  mergeWords(db: Db): Promise<void>
  /** That a row of `search_documents` holds all the terms. */
  holdsTerms(terms: SearchTerm[]): RawBuilder<boolean>
  /** The refusal that a database error stands for, or undefined when the error is a bug. */
  toRefusal(error: unknown): ParleyError | undefined
  isUniqueViolation(error: unknown): boolean
  /** What a row points at is not there, or not any more. */
  isForeignKeyViolation(error: unknown): boolean
  /** True when the same transaction may succeed if it is tried again at once. */
  isRetryable(error: unknown): boolean
  checkIntegrity(): Promise<string | undefined>
  close(): Promise<void>
}
