import type { Context } from 'hono'
import { z } from 'zod'
import type { CatalogueDeps } from '../../core/catalogue/open-catalogue.ts'
import type { ChatRuns } from '../../core/chat/chat-runs.ts'
import type { RouteHost } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import type { AppEnv } from '../../core/http/request-environment.ts'
import type { RunEvent } from '../../core/protocol/chunk.ts'
import { idSchema, scopeSchema } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { stopSession } from '../../core/sessions/stop.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import type { Answerer } from './models.ts'
import { takeTurn, type Asked, type AskedBeside, type Taken } from './take-turn.ts'

export interface OpenAiDeps {
  store: Store
  chats: ChatRuns
  background: BackgroundManager
  catalogue: CatalogueDeps
  ids: Ids
}

export const scopeHeader = z.object({
  'x-parley-scope': scopeSchema.optional().meta({ description: 'Goes before the query parameter' }),
})
export const sessionHeader = scopeHeader.extend({
  'x-parley-session': idSchema
    .optional()
    .meta({ description: 'The session to continue; default: a new one' }),
  'x-parley-tools': z.enum(['built-in', 'none']).optional().meta({
    description:
      "Whether the turn has Parley's own tools; default: in a session that is named, unless there are tools",
  }),
  'x-parley-approvals': z.enum(['deny', 'wait']).optional().meta({
    description: 'What becomes of calls that a person has to allow; default deny',
  }),
})

export const readBeside = (headers: z.infer<typeof sessionHeader>): AskedBeside => ({
  sessionId: headers['x-parley-session'],
  hasBuiltInTools:
    headers['x-parley-tools'] === undefined ? undefined : headers['x-parley-tools'] === 'built-in',
  waitsForPeople: headers['x-parley-approvals'] === 'wait',
})

/** What a request asks for, once what it refers to was looked up. */
export interface ReadRequest {
  asked: Asked
  beside: AskedBeside
  answerer: Answerer
}

/** Takes the turn of a request, once for its Idempotency-Key, and begins it. */
export async function serveTurn(
  deps: OpenAiDeps,
  c: Context<AppEnv>,
  caller: Caller,
  read: (tx: StoreOperations) => ReadRequest | Promise<ReadRequest>,
): Promise<Taken & { headers: Record<string, string> }> {
  let begin = () => {}
  let stale: Run | undefined
  const taken = await once(c, deps.store, caller, (work) =>
    work.transaction(async (tx) => {
      const { begin: start, stale: left, ...place } = await takeTurn(deps, tx, caller, await read(tx))
      begin = start
      stale = left
      return place
    }),
  )
  begin()
  if (stale) await deps.chats.stopRun(stale)
  return { ...taken, headers: { 'X-Parley-Session': taken.sessionId, 'X-Parley-Run': taken.runId } }
}

/** Of a session that nobody else knows of. Nobody receives its errors: the turn then ends by itself. */
export function stopUnwatched(
  { store, chats, background }: OpenAiDeps,
  { logger }: Pick<RouteHost, 'logger'>,
  caller: Caller,
  sessionId: string,
): void {
  stopSession(store, { chats, background }, caller, sessionId).catch((error: unknown) =>
    logger.warn({ err: error, sessionId }, 'could not stop a turn that nobody waits for any more'),
  )
}

/** Up to the end of the turn, or to where it waits for its caller. */
export async function* whileWatched(
  batches: AsyncGenerator<RunEvent[]>,
  signal: AbortSignal,
  onGone: () => void,
): AsyncGenerator<RunEvent[]> {
  signal.addEventListener('abort', onGone)
  try {
    for await (const events of batches) {
      const end = events.findIndex(({ chunk }) => chunk.type === 'data-awaiting')
      yield end === -1 ? events : events.slice(0, end + 1)
      if (end !== -1) return
    }
  } finally {
    signal.removeEventListener('abort', onGone)
  }
}
