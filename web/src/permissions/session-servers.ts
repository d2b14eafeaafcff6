import type { GroupSwitches, Session } from '../../../src/client/index.ts'
import type { UpdateSession } from '../../../src/core/protocol/session.ts'

/** Every server, those that come later too; or those named. */
export type Servers = 'all' | readonly string[]

type Limits = Pick<Session, 'allowedMcpServerIds' | 'toolGroups'>

/** `scopeGroups` is what holds where a session says nothing. */
export function readServers(
  { allowedMcpServerIds, toolGroups }: Limits,
  scopeGroups: GroupSwitches = {},
): Servers {
  if ((toolGroups?.mcp ?? scopeGroups.mcp) === false) return []
  // an empty list is no limit
  return allowedMcpServerIds?.length ? allowedMcpServerIds : 'all'
}

/** None is said by switching their group off, since an empty list is no limit. */
export function changeServers(
  session: Limits,
  scopeGroups: GroupSwitches | undefined,
  wanted: Servers,
): Partial<Pick<UpdateSession, 'allowedMcpServerIds' | 'toolGroups'>> {
  if (wanted.length === 0) return { toolGroups: { ...session.toolGroups, mcp: false } }
  const allowedMcpServerIds = wanted === 'all' ? null : [...wanted]
  if (readServers(session, scopeGroups).length > 0) return { allowedMcpServerIds }
  const { mcp: _, ...others } = session.toolGroups ?? {}
  const groups = scopeGroups?.mcp === false ? { ...others, mcp: true } : others
  return { allowedMcpServerIds, toolGroups: Object.keys(groups).length > 0 ? groups : null }
}

/** What is wanted after one of them was switched. */
export function toggleServer(
  servers: Servers,
  name: string,
  isWanted: boolean,
  known: readonly string[],
): readonly string[] {
  const before = servers === 'all' ? known : servers
  const others = before.filter((server) => server !== name)
  return isWanted ? [...others, name] : others
}
