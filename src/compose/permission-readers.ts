import { readAuthority, type AuthorityDeps } from '../approvals/authority.ts'
import type { FileRules } from '../files/bounds.ts'
import type { Session } from '../protocol/session.ts'
import { defaultGroups, readScopeSettings } from '../sessions/scope-settings.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { fileRulesOf } from '../tools/permission.ts'
import type { ParleyOptions } from './options.ts'

type Grouped = Pick<Session, 'scope' | 'toolGroups'>

/** Reads what a session may do, by what is configured, set for its scope and said by itself. */
export function createPermissionReaders(store: Store, options: ParleyOptions) {
  const config = { mode: options.permissions?.mode, rules: options.permissions?.rules ?? [] }
  const authorityIn = (within: StoreOperations): AuthorityDeps => ({
    store: within,
    config,
    async readScope(scope) {
      const { permissionMode, permissionRules = [] } = await readScopeSettings(within, scope)
      return { mode: permissionMode, rules: permissionRules }
    },
  })
  /** Of the groups that somebody spoke of. */
  const readSwitches = async ({ scope, toolGroups }: Grouped, from: StoreOperations = store) => ({
    ...options.toolGroups,
    ...(await readScopeSettings(from, scope)).toolGroups,
    ...toolGroups,
  })
  const readGroups = async (session: Grouped, from?: StoreOperations) => ({
    ...defaultGroups,
    ...(await readSwitches(session, from)),
  })
  const readFileRules = async (session: Session, root: string | undefined): Promise<FileRules> =>
    fileRulesOf(await readAuthority(authorityIn(store), session, root))
  return {
    authorityIn,
    readSwitches,
    readGroups,
    readFileRules,
    /** For files that a message names. Without the tools for files, a session reads none this way either. */
    async readReferenceRules(session: Session, root: string): Promise<FileRules> {
      if ((await readGroups(session)).workspace === false) return () => 'deny'
      const rules = await readFileRules(session, root)
      // a person who names a file has decided about it; what a task is told was written by a model
      return session.kind === 'background'
        ? rules
        : (path, use) => (rules(path, use) === 'deny' ? 'deny' : undefined)
    },
  }
}
