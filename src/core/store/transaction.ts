import { Kysely, Transaction, type DatabaseConnection, type Dialect } from 'kysely'
import type { Backend, Db } from './backend.ts'
import type { Tables } from './tables.ts'

/** Not executed, or undone, because a statement of the same transaction failed before: its `cause`. */
export class NotExecuted extends Error {
  constructor(cause: unknown) {
    super('Not executed: a statement before it failed.', { cause })
  }
}

/**
 * Kysely would send one statement of a transaction after the other; here the connection decides. `sendsTogether`: it sends
 * those that nobody waits for with the next one that somebody does.
 */
export function openKysely(
  dialect: Dialect,
  { sendsTogether = false } = {},
): Pick<Backend, 'db' | 'transaction'> {
  const driver = dialect.createDriver()
  const config = { dialect: { ...dialect, createDriver: () => driver } }
  const db = new Kysely<Tables>(config)
  const executor = db.getExecutor()

  function toTransaction(connection: DatabaseConnection, isOver: () => boolean): Db {
    const provider: Parameters<typeof executor.withConnectionProvider>[0] = {
      async provideConnection(consumer) {
        if (isOver()) throw new Error('The transaction of this statement is over.')
        return consumer(connection)
      },
    }
    return new Transaction<Tables>({
      ...config,
      config,
      driver,
      executor: executor.withConnectionProvider(provider),
    })
  }

  return {
    db,
    transaction: (work) =>
      executor.provideConnection(async (connection) => {
        let isOver = false
        const alongside: Promise<unknown>[] = []
        await driver.beginTransaction(connection, {})
        try {
          const tx = toTransaction(connection, () => isOver)
          const result = await work(tx, async (answer) => {
            if (!sendsTogether) return void (await answer)
            alongside.push(answer)
            // it is the failure of the transaction
            answer.catch(() => {})
          }).finally(() => (isOver = true))
          await driver.commitTransaction(connection)
          await Promise.all(alongside)
          return result
        } catch (error) {
          await driver.rollbackTransaction(connection)
          throw await toReason(error, alongside)
        }
      }),
  }
}

/** What failed first, as whoever issued it calls it. */
async function toReason(given: unknown, alongside: readonly Promise<unknown>[]): Promise<unknown> {
  if (!(given instanceof NotExecuted)) return given
  const settled = await Promise.allSettled(alongside)
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return reasons.find((reason) => !(reason instanceof NotExecuted)) ?? given.cause
}
