import type { DatabaseSync } from 'node:sqlite'
import type { Facets, SessionFacets } from '../protocol/facets.ts'
import type { QueryContext } from './query-context.ts'

export interface Migration {
  number: number
  name: string
  statements: string[]
}

/**
 * What an extension has in the store. Its queries become methods of the store and of every transaction; their types, and
 * those of its tables, are joined by declaration merging (`ExtensionQueries`, `ExtensionTables`, `ExtensionChanges`).
 * Rows of an extension may refer to rows of the core, never the other way round.
 */
export interface StoreSlice {
  /** Of the extension. */
  readonly name: string
  /** Numbered for this extension alone: a folder of SQL files, absolute or in this package, or the migrations themselves. */
  readonly migrations?: string | readonly Migration[]
  /** Up to this number its migrations were once counted with those of the core: see `0021-extensions.sql`. */
  readonly sharedThrough?: number
  /** One function for each family; it is called once for each transaction that uses the family. */
  readonly queries?: readonly ((context: QueryContext) => object)[]

  /** Tables whose rows are deleted with a session, and the column that has its id: all that cascade from `sessions`. */
  readonly sessionRows?: Readonly<Record<string, string>>
  /** Tables whose rows stay, and the column that is set to null when the session is deleted. */
  readonly sessionReferences?: Readonly<Record<string, string>>
  /**
   * Called in the transaction that deletes a session, before its rows are gone; what it returns is called after them. The
   * slices are called in their order.
   */
  readonly sessionDeleted?: (tx: QueryContext, deleted: DeletedSession) => Promise<() => Promise<void>>

  /**
   * Called in the transaction that stores the session of an export, before that: what of the facets does not hold here, with
   * another value or undefined.
   */
  readonly sessionImported?: (
    tx: QueryContext,
    scope: string,
    facets: SessionFacets,
  ) => Promise<Partial<SessionFacets>>

  /** The runs that it executes, where they count among the tasks of the session that started them. */
  readonly runs?: SliceRuns
  /** The `toolMeta.source` of sessions that repeat the log of another: they are not searched or counted. */
  readonly hiddenSources?: readonly string[]
  /**
   * A condition in SQL over `sessions`: whether there is something of it in the scope of a session. Asked with the start of
   * each turn, so that scopes without it cost a turn nothing.
   */
  readonly isInScope?: string
  /** What it keeps in the records of sessions and lets callers set. */
  readonly facets?: Facets

  /** Stops what a restored database would start by itself; returns the ids of what was active. */
  readonly restrict?: (restored: RestoredDatabase) => string[]
}

export interface DeletedSession {
  scope: string
  id: string
  /** The session itself and those that are parts of it. */
  sessions: readonly string[]
}

export interface SliceRuns {
  kind: string
  /** The `toolMeta.source` of the session that a run has. */
  source: string
  /** The `bgMeta.source` of tasks that are steps of a run: they are deleted with it. */
  stepSource: string
}

/** A database that somebody else may have written, before anything runs on it; within a transaction. */
export interface RestoredDatabase {
  database: DatabaseSync
  /** Why something is paused, for people. */
  reason: string
  /** One of an earlier version may lack it. */
  hasTable(name: string): boolean
  /**
   * Pauses the active rows of a table that has `id`, `scope`, `name`, `status` and `reason`, each with a row of the audit;
   * their ids. None, where there is no such table.
   */
  pauseActive(table: string, resourceType: string): string[]
}
