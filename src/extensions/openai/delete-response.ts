import type { Caller } from '../../core/sessions/caller.ts'
import { deleteSession } from '../../core/sessions/delete.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { isMadeForRequests } from './open-response.ts'
import { askedOf, type FoundResponse } from './response.ts'
import type { OpenAiDeps } from './serve-turn.ts'

const runsPerPage = 200

/**
 * The responses of its turn cannot be read or continued any more. A session that was made for requests is deleted with the
 * last of its turns; what people talk in stays as it is.
 */
export function deleteResponse(
  { background }: Pick<OpenAiDeps, 'background'>,
  store: StoreOperations,
  caller: Caller,
  { run }: FoundResponse,
): Promise<void> {
  const { scope, sessionId } = run
  return store.transaction(async (tx) => {
    await tx.amendOutcome(run.id, { isResponseDeleted: true })
    if (!isMadeForRequests(await tx.requireSession(scope, sessionId))) return
    let cursor: string | undefined
    do {
      const page = await tx.listRuns(scope, { sessionId, limit: runsPerPage, cursor })
      const isLeft = page.items.some((one) => {
        const { isResponseDeleted } = (one.outcome ?? {}) as { isResponseDeleted?: boolean }
        return !isResponseDeleted || askedOf(one)?.isInConversation
      })
      if (isLeft) return
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    await deleteSession(tx, background, caller, sessionId)
  })
}
