import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import { decide, type Authority, type Call, type RuleSet } from '../tools/permission.ts'

/** What holds beyond one session. */
export interface Permissions {
  mode?: PermissionMode
  rules: readonly PermissionRule[]
}

export interface AuthorityDeps {
  store: StoreOperations
  /** From the configuration of the operator. */
  config: Permissions
  readScope(scope: string): Promise<Permissions>
}

// a task of a task of a task; deeper ones are refused when they are started
const maxDepth = 100

/** What a session may do as of now: rules may change between two calls of one turn. */
export async function readAuthority(
  deps: AuthorityDeps,
  session: Pick<Session, 'scope' | 'parentId' | 'permissionMode' | 'permissionRules'>,
  root: string | undefined,
  depth = 0,
): Promise<Authority> {
  const { store, config, readScope } = deps
  const scope = await readScope(session.scope)
  const above =
    session.parentId === undefined || depth >= maxDepth
      ? undefined
      : await store.getSession(session.scope, session.parentId)
  const parent = above && (await readAuthority(deps, above, root, depth + 1))
  const ruleSets: RuleSet[] = [
    { origin: 'session', rules: session.permissionRules ?? [] },
    { origin: 'scope', rules: scope.rules },
    { origin: 'config', rules: config.rules },
  ]
  const mode = session.permissionMode ?? parent?.mode ?? scope.mode ?? config.mode ?? 'default'
  return { mode, ruleSets, root, ...(parent && { parent }) }
}

/** Why a session may not make a call, where nobody can be asked about it: what would be asked is not refused. */
export async function denialFor(
  deps: AuthorityDeps,
  session: Session,
  call: Call,
): Promise<string | undefined> {
  const { allowedTools } = session
  // an empty list is no limit
  if (allowedTools?.length && !allowedTools.includes(call.tool))
    return `The session does not have the tool "${call.tool}".`
  const { decision, reason } = decide(await readAuthority(deps, session, undefined), call)
  return decision === 'deny' ? reason : undefined
}
