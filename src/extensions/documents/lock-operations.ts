import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { forceRelease, listLocks } from './locks.ts'
import { lockListQuerySchema, lockListSchema, lockedTypes } from './protocol/lock.ts'
import { z } from 'zod'

const locks = operationsOf<unknown>('locks')

export const lockOperations = {
  list: locks.read('/api/locks', {
    summary: 'List the locks that sessions hold on documents and todo lists',
    input: lockListQuerySchema,
    output: lockListSchema,
    returns: 'The locks',
    run: ({ tx, caller }, _, { session }) => listLocks(tx, caller, { session }),
  }),
  /** What the session still meant to write is refused from then on, until it has taken the lock again. */
  release: locks.remove('/api/locks/{type}/{id}', {
    summary: 'Take a lock from the session that holds it',
    params: { type: z.enum(lockedTypes) },
    returns: 'Nobody holds it any more',
    run: ({ tx, caller }, { type, id }) => forceRelease(tx, caller, { type, id }),
  }),
}

/** What sessions hold; a person can take it from them. */
export type Locks = Calls<typeof lockOperations>
