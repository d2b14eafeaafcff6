import type { PermissionMode } from '../../../src/client/index.ts'

/** In the order in which they are offered: the last is the one to be careful with. */
export const permissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'bypassPermissions',
] as const satisfies readonly PermissionMode[]
