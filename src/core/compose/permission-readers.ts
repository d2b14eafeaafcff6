import { readAuthority, type AuthorityDeps } from '../approvals/authority.ts'
import type { ReadSight, Sight } from '../chat/scope-view.ts'
import type { FileRules } from '../files/file-rules.ts'
import type { Session } from '../protocol/session.ts'
import type { ScopeSettings } from '../protocol/settings.ts'
import { readScopeSettings } from '../sessions/scope-settings.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { decide, fileRulesOf } from '../tools/permission.ts'
import type { ParleyOptions } from './options.ts'

type Grouped = Pick<Session, 'scope' | 'toolGroups'>

/** Reads what a session may do, from the configuration, its scope and its own settings. */
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
  /** Of the groups that are set explicitly. */
  const readSwitches = async ({ scope, toolGroups }: Grouped, known?: ScopeSettings) => ({
    ...options.toolGroups,
    ...(known ?? (await readScopeSettings(store, scope))).toolGroups,
    ...toolGroups,
  })
  const readGroups = async (session: Grouped, known?: ScopeSettings) => ({
    ...store.facets.defaultGroups,
    ...(await readSwitches(session, known)),
  })
  const readFileRules = async (session: Session, root: string | undefined): Promise<FileRules> =>
    fileRulesOf(await readAuthority(authorityIn(store), session, root))
  /** As the tools would answer: what it may not read, or only with approval, is not shown. */
  const readSight: ReadSight = async (session, root) => {
    const settings = await readScopeSettings(store, session.scope)
    const groups: Record<string, boolean | undefined> = {
      ...options.toolGroups,
      ...settings.toolGroups,
      ...session.toolGroups,
    }
    const { permissionMode: mode, permissionRules: rules = [] } = settings
    const deps: AuthorityDeps = { store, config, readScope: async () => ({ mode, rules }) }
    const authority = await readAuthority(deps, session, root)
    const maySee: Sight['maySee'] = ({ group, tool, action, resource }) =>
      groups[group] !== false &&
      (!session.allowedTools?.length || session.allowedTools.includes(tool)) &&
      decide(authority, { tool, action, effect: 'read', resources: [resource] }).decision === 'allow'
    const listsFiles =
      root !== undefined && maySee({ group: 'workspace', tool: 'file', action: 'list', resource: root })
    return { maySee, ...(listsFiles && { files: fileRulesOf(authority) }) }
  }
  return {
    authorityIn,
    readSight,
    readSwitches,
    readGroups,
    readFileRules,
    /** What holds for every session, whatever its settings: the store is not read. */
    configuredFileRules: (root: string): FileRules =>
      fileRulesOf({ mode: 'default', ruleSets: [{ origin: 'config', rules: config.rules }], root }),
    /** For files that a message names. Without the tools for files, a session reads none this way either. */
    async readReferenceRules(session: Session, root: string): Promise<FileRules> {
      if ((await readGroups(session)).workspace === false) return () => 'deny'
      const rules = await readFileRules(session, root)
      // a person who names a file has decided about it; the input of a task was written by a model
      return session.kind === 'background'
        ? rules
        : (path, use) => (rules(path, use) === 'deny' ? 'deny' : undefined)
    },
  }
}
