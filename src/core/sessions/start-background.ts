import type { BgMetaInput, CreateBackground, TaskRequest } from '../protocol/background.ts'
import type { TaskFacets } from '../protocol/facets.ts'
import type { ParameterSettings } from '../protocol/parameters.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, type Caller } from './caller.ts'
import { requireNoRaise } from './refuse-raised-rights.ts'
import { rightsInScope } from './scope-settings.ts'

/** What starts background runs; injected, since it lies above sessions. */
export interface BackgroundStarter {
  triggerIn(
    tx: StoreOperations,
    scope: string,
    request: TaskRequest,
    meta: BgMetaInput,
    options: {
      title?: string
      wake?: boolean
      detached?: boolean
      allowedTools?: string[]
      session?: { toolGroups?: GroupSwitches; parameters?: ParameterSettings }
    },
  ): Promise<{ session: Session; run: { id: string } }>
}

/** A session that begins with its run: both are stored, and who started it, or none of it is. */
export function startBackground(
  store: StoreOperations,
  background: BackgroundStarter,
  caller: Caller,
  body: Omit<CreateBackground, 'scope' | 'kind'>,
): Promise<{ session: Session; runId: string }> {
  const { title, parentSessionId, announceTarget, wake, detached, autoCleanup, allowedTools, ...rest } = body
  const { toolGroups, parameters, ...others } = rest
  const { taken, left: request } = takeNames(others, store.facets.taskNames)
  const meta: BgMetaInput = {
    triggerType: 'api',
    parentSessionId,
    announceTarget,
    autoCleanup,
    ...taken,
    source: 'api',
  }
  if (parentSessionId !== undefined) requireNarrower(toolGroups)
  return store.transaction(async (tx) => {
    if (toolGroups && !caller.seesAllScopes)
      requireNoRaise(tx, caller, { toolGroups }, {}, await rightsInScope(tx, caller))
    const { session, run } = await background.triggerIn(tx, caller.scope, request, meta, {
      title,
      wake,
      detached,
      allowedTools,
      session: { toolGroups, parameters },
    })
    await auditSession(tx, caller, 'create', session.id, {
      kind: session.kind,
      runId: run.id,
      ...(parameters && { parameters }),
    })
    return { session, runId: run.id }
  })
}

/** What of a body is for extensions, and what is not. */
function takeNames<Body extends object>(
  body: Body,
  names: readonly string[],
): { taken: TaskFacets; left: Body } {
  const [taken, left] = [true, false].map((isTaken) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name) === isTaken)),
  )
  return { taken: taken!, left: left as Body }
}

/** A task has what the session has that it belongs to, or less. */
function requireNarrower(toolGroups: GroupSwitches = {}): void {
  const on = Object.entries(toolGroups).find(([, isOn]) => isOn)
  if (on)
    throw invalidRequest(
      `toolGroups: a task of a session switches no group on, such as ${quote(on[0])}; leave it out, or start the task without a parent.`,
    )
}
