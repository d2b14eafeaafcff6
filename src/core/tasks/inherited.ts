/** What a task has of the session that starts it: never more rights, the same folders, one level deeper. */
import { conflict } from '../protocol/error.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { BgMeta, Session } from '../protocol/session.ts'

/** Of two lists that each limit, what both allow; an empty list is no limit. */
export function narrowed(above: string[] | undefined, own: string[] | undefined): string[] | undefined {
  if (!own?.length) return above
  if (!above?.length) return own
  const both = own.filter((name) => above.includes(name))
  if (both.length === 0) throw conflict('None of the tools asked for is allowed where the task is started.')
  return both
}

/** The same of skills, of which an empty list means none. */
export const skillsWithin = (above: string[] | undefined, own: string[] | undefined): string[] | undefined =>
  own && above ? own.filter((name) => above.includes(name)) : (own ?? above)

/** What is off above stays off; a task switches nothing on that nobody spoke of. */
export function switchedOff(
  above: GroupSwitches | undefined,
  own: GroupSwitches | undefined,
): GroupSwitches | undefined {
  if (!own) return above
  const off = Object.entries(own).filter(([, isOn]) => isOn === false)
  return { ...above, ...(Object.fromEntries(off) as GroupSwitches) }
}

/** Those of a workflow run are its steps' too, and their tasks'. */
export const foldersOf = (
  parent: Session | undefined,
): Pick<BgMeta, 'workspaceDir' | 'persistentWorkspaceDir'> => ({
  workspaceDir: parent?.bgMeta?.workspaceDir ?? parent?.toolMeta?.runWorkspaceDir,
  persistentWorkspaceDir: parent?.bgMeta?.persistentWorkspaceDir ?? parent?.toolMeta?.persistentWorkspaceDir,
})

/** How deep a task of this session is; that of a workflow run says it itself. */
export function depthBelow(parent: Session | undefined): number {
  if (parent?.kind === 'background') return (parent.bgMeta?.depth ?? 0) + 1
  return parent?.toolMeta?.depth ?? 0
}
