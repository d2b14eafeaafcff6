import type { ModelRegistry } from '../models/registry.ts'
import type { ScopeSettings, SettingsView, UpdateSettings } from '../protocol/settings.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { checkSettings } from './window/settings.ts'
import type { Windows } from './window/windows.ts'

/** What is set for a scope: it goes before the configuration, and after what a session or a call says. */

export interface ScopeSettingsDeps {
  windows: Windows
  registry: Pick<ModelRegistry, 'defaultId' | 'require'>
}

// both under one key, so that a turn reads one row
const key = 'sessions'

/** Read with every turn and kept nowhere: another node may have changed it. */
export const readScopeSettings = async (store: StoreOperations, scope: string): Promise<ScopeSettings> =>
  ((await store.getSetting(scope, key)) as ScopeSettings | undefined) ?? {}

export async function getScopeSettings(
  { windows, registry }: ScopeSettingsDeps,
  store: StoreOperations,
  { scope }: Pick<Caller, 'scope'>,
): Promise<SettingsView> {
  const settings = await readScopeSettings(store, scope)
  return {
    ...settings,
    effective: {
      model: settings.model ?? registry.defaultId,
      window: await windows.viewScope(scope, store),
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
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const merged = { ...(await readScopeSettings(tx, caller.scope)), ...patch }
    const { model, window } = merged
    const settings: ScopeSettings = { ...(model && { model }), ...(window && { window }) }
    const isEmpty = Object.keys(settings).length === 0
    await tx.putSetting(caller.scope, key, isEmpty ? undefined : settings)
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
