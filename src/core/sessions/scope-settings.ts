import type { TrustedFolders } from '../files/trusted-folders.ts'
import type { ModelRegistry } from '../models/registry.ts'
import { invalidRequest } from '../protocol/error.ts'
import { mergeParameters, requireKnownProviders } from '../models/parameters.ts'
import type { ParameterSettings } from '../protocol/parameters.ts'
import type { GroupSwitches, PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { ScopeSettings, SettingsView, UpdateSettings } from '../protocol/settings.ts'
import { scopeSettingsKey } from '../store/queries/settings.ts'
import type { StoreOperations } from '../store/store.ts'
import { requireOperator, type Caller } from './caller.ts'
import { requireNoRaiseOfScope, type RightsAbove } from './refuse-raised-rights.ts'
import { checkSettings } from './window/window-settings.ts'
import type { Windows } from './window/windows.ts'

/** What is set for a scope: it takes precedence over the configuration; a session or a call takes precedence over it. */

export interface ScopeSettingsDeps {
  windows: Windows
  registry: Pick<ModelRegistry, 'defaultId' | 'require' | 'adapterNames'>
  /** The configuration. */
  parameters?: ParameterSettings
  /** The configuration. */
  permissionMode?: PermissionMode
  toolGroups?: GroupSwitches
  /** What extensions show of themselves. */
  readEffective?(): Partial<SettingsView['effective']>
  /** Left out, every folder of a scope is trusted. */
  trust?: TrustedFolders
}

/** Kept nowhere: another node may have changed it. A turn has it with its start. */
export const readScopeSettings = async (store: StoreOperations, scope: string): Promise<ScopeSettings> =>
  ((await store.getSetting(scope, scopeSettingsKey)) as ScopeSettings | undefined) ?? {}

export async function getScopeSettings(
  { windows, registry, parameters, permissionMode, toolGroups, readEffective, trust }: ScopeSettingsDeps,
  store: StoreOperations,
  { scope, seesAllScopes }: Pick<Caller, 'scope' | 'seesAllScopes'>,
): Promise<SettingsView> {
  const settings = await readScopeSettings(store, scope)
  const root = (await store.getScope(scope))?.root
  return {
    ...settings,
    effective: {
      model: settings.model ?? registry.defaultId,
      window: await windows.viewScope(scope, store),
      parameters: mergeParameters(parameters, settings.parameters),
      permissionMode: settings.permissionMode ?? permissionMode ?? 'default',
      toolGroups: { ...store.facets.defaultGroups, ...toolGroups, ...settings.toolGroups },
      ...readEffective?.(),
    },
    ...(!seesAllScopes && { isBound: true as const }),
    ...(root !== undefined && { folder: { path: root, isTrusted: trust?.has(root) ?? true } }),
  }
}

export async function updateScopeSettings(
  deps: ScopeSettingsDeps,
  store: StoreOperations,
  caller: Caller,
  { scope: _, trusted, ...patch }: UpdateSettings,
): Promise<SettingsView> {
  if (patch.model) deps.registry.require(patch.model)
  if (patch.window) checkSettings(patch.window)
  if (patch.parameters) requireKnownProviders(patch.parameters, deps.registry.adapterNames())
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const before = await readScopeSettings(tx, caller.scope)
    requireNoRaiseOfScope(caller, patch, before, rightsConfigured(tx, caller))
    const merged = { ...before, ...patch }
    const settings = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined)
    const isEmpty = settings.length === 0
    await tx.putSetting(caller.scope, scopeSettingsKey, isEmpty ? undefined : Object.fromEntries(settings))
    await tx.recordAudit(caller.scope, {
      actor: caller.actor,
      action: 'update',
      resourceType: 'settings',
      resourceId: caller.scope,
      detail: {
        fields: Object.keys(patch),
        ...(patch.parameters !== undefined && { parameters: patch.parameters }),
        ...(trusted !== undefined && { trusted }),
      },
    })
    if (trusted !== undefined) await trustFolder(deps, tx, caller, trusted)
    return getScopeSettings(deps, tx, caller)
  })
}

const rightsConfigured = ({ facets }: StoreOperations, { configured = {} }: Caller): RightsAbove => ({
  mode: configured.mode ?? 'default',
  groups: { ...facets.defaultGroups, ...configured.groups },
})

/** What a session of the scope may do without settings of its own. */
export async function rightsInScope(tx: StoreOperations, caller: Caller): Promise<RightsAbove> {
  const { mode, groups } = rightsConfigured(tx, caller)
  const { permissionMode, toolGroups } = await readScopeSettings(tx, caller.scope)
  return { mode: permissionMode ?? mode, groups: { ...groups, ...toolGroups } }
}

/** The last check: what follows cannot be rolled back with the transaction. */
async function trustFolder(
  { trust }: ScopeSettingsDeps,
  tx: StoreOperations,
  caller: Caller,
  trusted: boolean,
): Promise<void> {
  requireOperator(caller, 'trust a folder')
  const root = (await tx.getScope(caller.scope))?.root
  if (root === undefined) throw invalidRequest('The scope has no folder that could be trusted.')
  if (!trust) throw invalidRequest('The program that runs this Parley says itself which folders it trusts.')
  if (trusted) trust.add(root, Date.now())
  else trust.remove(root)
}

/** In front of what is there: the newest word counts. */
export async function addScopeRules(
  tx: StoreOperations,
  scope: string,
  rules: readonly PermissionRule[],
): Promise<void> {
  const settings = await readScopeSettings(tx, scope)
  await tx.putSetting(scope, scopeSettingsKey, {
    ...settings,
    permissionRules: [...rules, ...(settings.permissionRules ?? [])],
  })
}
