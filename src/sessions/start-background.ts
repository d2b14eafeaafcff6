import type { BgMetaInput, CreateBackground, TaskRequest } from '../protocol/background.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, type Caller } from './caller.ts'

/** What starts background runs; handed in, since it lies above sessions. */
export interface BackgroundStarter {
  triggerIn(
    tx: StoreOperations,
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options: { title?: string; wake?: boolean; detached?: boolean; allowedTools?: string[] },
  ): Promise<{ session: Session; run: { id: string } }>
}

/** A session that begins with its run: both are stored, and who started it, or none of it is. */
export function startBackground(
  store: StoreOperations,
  background: BackgroundStarter,
  caller: Caller,
  body: Omit<CreateBackground, 'scope' | 'kind'>,
): Promise<{ session: Session; runId: string }> {
  const { title, parentSessionId, announceTarget, wake, detached, autoCleanup, allowedTools, ...request } =
    body
  const meta: BgMetaInput = {
    triggerType: 'api',
    parentSessionId,
    announceTarget,
    autoCleanup,
    source: 'api',
  }
  return store.transaction(async (tx) => {
    const { session, run } = await background.triggerIn(tx, caller.scope, request, meta, {
      title,
      wake,
      detached,
      allowedTools,
    })
    await auditSession(tx, caller, 'create', session.id, { kind: session.kind, runId: run.id })
    return { session, runId: run.id }
  })
}
