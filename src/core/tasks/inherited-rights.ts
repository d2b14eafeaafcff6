/** What a task has of the session that starts it: never more rights, the same folders, one level deeper. */
import { conflict } from '../protocol/error.ts'
import type { BgMetaFacets, SessionFacets } from '../protocol/facets.ts'
import type { JoinedFacets } from '../protocol/joined-facets.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'

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

/** What is off above stays off; a task switches nothing on that was not set. */
export function switchedOff(
  above: GroupSwitches | undefined,
  own: GroupSwitches | undefined,
): GroupSwitches | undefined {
  if (!own) return above
  const off = Object.entries(own).filter(([, isOn]) => isOn === false)
  return { ...above, ...(Object.fromEntries(off) as GroupSwitches) }
}

/** The same of lists that extensions limit sessions by. */
export const limitsWithin = (
  { limits }: JoinedFacets,
  above: SessionFacets | undefined,
  own: SessionFacets | undefined,
): SessionFacets => {
  const list = (of: SessionFacets | undefined, name: keyof SessionFacets) =>
    of?.[name] as string[] | undefined
  return Object.fromEntries(limits.map((name) => [name, narrowed(list(above, name), list(own, name))]))
}

/** Those that extensions gave a session are its tasks' too. */
export const foldersOf = ({ folders }: JoinedFacets, parent: Session | undefined): BgMetaFacets =>
  Object.fromEntries(parent ? folders.map(({ keptIn, of }) => [keptIn, of(parent)]) : [])

/** How deep a task of this session is; the session of a run records it. */
export function depthBelow(parent: Session | undefined): number {
  if (parent?.kind === 'background') return (parent.bgMeta?.depth ?? 0) + 1
  return parent?.toolMeta?.depth ?? 0
}
