import { modeWithin } from '../../../src/core/protocol/mode-within.ts'
import type { PermissionMode, SettingsView } from '../../../src/client/index.ts'
import { permissionModes } from './permission-modes.ts'

type Known = Pick<SettingsView, 'isBound' | 'effective'>

/** Modes that can be chosen: a key that is bound to scopes raises none beyond what there is. */
export function offeredModes(settings: Known | undefined, own?: PermissionMode): readonly PermissionMode[] {
  if (!settings?.isBound) return permissionModes
  const held = [settings.effective.permissionMode, own].filter((mode) => mode !== undefined)
  return permissionModes.filter((mode) => held.some((most) => modeWithin(most, mode)))
}
