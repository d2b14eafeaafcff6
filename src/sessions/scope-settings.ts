import type { ModelRegistry } from '../models/registry.ts'
import type { GroupSwitches, PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { ScopeSettings, SettingsView, UpdateSettings } from '../protocol/settings.ts'
import type { StoreOperations } from '../store/store.ts'
import { checkSwitches, type Caller } from './caller.ts'
import { checkSettings } from './window/settings.ts'
import type { Windows } from './window/windows.ts'

/** What is set for a scope: it goes before the configuration, and after what a session or a call says. */

export interface ScopeSettingsDeps {
  windows: Windows
  registry: Pick<ModelRegistry, 'defaultId' | 'require'>
  /** What the configuration says. */
  permissionMode?: PermissionMode
  toolGroups?: GroupSwitches
  webSearch?: SettingsView['effective']['webSearch']
}

/** A shell is near to everything: it is there when somebody wants it. */
export const defaultGroups: GroupSwitches = { terminal: false }

// both under one key, so that a turn reads one row
const key = 'sessions'

/** Read with every turn and kept nowhere: another node may have changed it. */
export const readScopeSettings = async (store: StoreOperations, scope: string): Promise<ScopeSettings> =>
  ((await store.getSetting(scope, key)) as ScopeSettings | undefined) ?? {}

export async function getScopeSettings(
  { windows, registry, permissionMode, toolGroups, webSearch }: ScopeSettingsDeps,
  store: StoreOperations,
  { scope }: Pick<Caller, 'scope'>,
): Promise<SettingsView> {
  const settings = await readScopeSettings(store, scope)
  return {
    ...settings,
    effective: {
      model: settings.model ?? registry.defaultId,
      window: await windows.viewScope(scope, store),
      permissionMode: settings.permissionMode ?? permissionMode ?? 'default',
      toolGroups: { ...defaultGroups, ...toolGroups, ...settings.toolGroups },
      ...(webSearch && { webSearch }),
    },
  }
}

export async function updateScopeSettings(
  deps: ScopeSettingsDeps,
  store: StoreOperations,
  caller: Caller,
  { scope: _, ...patch }: UpdateSettings,
): Promise<SettingsView> {
  if (patch.model) deps.registry.require(patch.model)
  if (patch.window) checkSettings(patch.window)
  checkSwitches(caller, patch.toolGroups)
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const merged = { ...(await readScopeSettings(tx, caller.scope)), ...patch }
    const settings = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined)
    const isEmpty = settings.length === 0
    await tx.putSetting(caller.scope, key, isEmpty ? undefined : Object.fromEntries(settings))
    await tx.recordAudit(caller.scope, {
      actor: caller.actor,
      action: 'update',
      resourceType: 'settings',
      resourceId: caller.scope,
      detail: { fields: Object.keys(patch) },
    })
    return getScopeSettings(deps, tx, caller)
  })
}

/** In front of what is there: the newest word counts. */
export async function addScopeRules(
  tx: StoreOperations,
  scope: string,
  rules: readonly PermissionRule[],
): Promise<void> {
  const settings = await readScopeSettings(tx, scope)
  await tx.putSetting(scope, key, {
    ...settings,
    permissionRules: [...rules, ...(settings.permissionRules ?? [])],
  })
}
