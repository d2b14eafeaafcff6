import type { PermissionMode } from './permission.ts'

const looseness: Record<PermissionMode, number> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  bypassPermissions: 3,
}

/** A mode that somebody wishes for below another one; undefined, which is to say that one, when it would allow more. */
export const modeWithin = (
  above: PermissionMode,
  wished: PermissionMode | undefined,
): PermissionMode | undefined =>
  wished !== undefined && looseness[wished] <= looseness[above] ? wished : undefined
