import { ParleyError, quote } from '../../protocol/error.ts'
import type { QueryContext } from '../query-context.ts'

export interface IdempotencyQueries {
  /**
   * Reserves a key for the transaction that is open. Answers what an earlier request with this key was answered,
   * or undefined when this is the first. A second request waits here until the first one has committed.
   * Throws `idempotency_mismatch` when the key was used for something else.
   */
  reserveIdempotencyKey(scope: string, key: string, fingerprint: string): Promise<unknown>
  /** Keeps the answer; in the transaction of `reserveIdempotencyKey`. */
  saveIdempotentAnswer(scope: string, key: string, answer: unknown): Promise<void>
  /** Forgets keys that are older; answers how many. */
  deleteIdempotencyKeysBefore(time: number): Promise<number>
}

export function idempotencyQueries({ db, clock }: QueryContext): IdempotencyQueries {
  return {
    async reserveIdempotencyKey(scope, key, fingerprint) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency_keys')
        .values({ scope, key, fingerprint, answer: 'null', created_at: clock.now() })
        .onConflict((oc) => oc.columns(['scope', 'key']).doNothing())
        .executeTakeFirst()
      if (numInsertedOrUpdatedRows === 1n) return undefined
      const row = await db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('scope', '=', scope)
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
      if (row.fingerprint !== fingerprint)
        throw new ParleyError(
          'idempotency_mismatch',
          `The Idempotency-Key ${quote(key)} was used for a different request.`,
        )
      return JSON.parse(row.answer)
    },

    async saveIdempotentAnswer(scope, key, answer) {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: JSON.stringify(answer) })
        .where('scope', '=', scope)
        .where('key', '=', key)
        .execute()
    },

    async deleteIdempotencyKeysBefore(time) {
      const { numDeletedRows } = await db
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', time)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
