import { defaultMaxWakes } from '../chat/wake-session.ts'
import { conflict, ParleyError } from '../protocol/error.ts'
import type { Slots } from '../store/queries/claims.ts'
import type { StoreOperations } from '../store/store.ts'

export interface BackgroundLimits extends Slots {
  /** A task at this depth is refused; tasks of a chat have depth 0. */
  maxDepth: number
  /** What happens over a limit of running tasks: `reject`, or `queue` until one ends. */
  overLimit: 'reject' | 'queue'
  /** With `queue`: so many wait at most. */
  maxQueued: number
  timeoutMs: number
  /** How many turns of a session may begin by themselves, for results, until a person sends a message. */
  maxWakes: number
  /** What becomes of a task whose process died: it resumes after its last step, or ends as `interrupted`. */
  onCrash: 'resume' | 'interrupt'
}

export const defaultBackgroundLimits: BackgroundLimits = {
  maxPerParent: 5,
  maxGlobal: 10,
  maxDepth: 2,
  overLimit: 'reject',
  maxQueued: 1_000,
  timeoutMs: 600_000,
  maxWakes: defaultMaxWakes,
  onCrash: 'resume',
}

/** Refuses what is over a limit. The counts hold until the transaction ends. */
export async function requirePlace(
  tx: StoreOperations,
  limits: BackgroundLimits,
  parentId: string | undefined,
  depth: number,
  queues: boolean,
): Promise<void> {
  if (depth >= limits.maxDepth)
    // never a matter of time
    throw conflict(`Tasks may be ${limits.maxDepth} deep (background.maxDepth); this one would be deeper.`)
  const { all, ofSession, queued } = await tx.countTasks(parentId)
  if (queues) {
    if (queued >= limits.maxQueued)
      throw tooMany(`${queued} tasks wait already, the most is ${limits.maxQueued} (background.maxQueued).`)
    return
  }
  if (parentId !== undefined && ofSession >= limits.maxPerParent)
    throw tooMany(
      `The session has ${ofSession} tasks going on, the most is ${limits.maxPerParent} (background.maxPerParent). Wait for one to end.`,
    )
  if (all >= limits.maxGlobal)
    throw tooMany(
      `${all} tasks go on already, the most is ${limits.maxGlobal} (background.maxGlobal). Wait for one to end.`,
    )
}

const tooMany = (message: string) => new ParleyError('too_many_requests', message)
