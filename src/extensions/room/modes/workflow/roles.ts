import { invalidRequest, quote } from '../../../../core/protocol/error.ts'
import type { RoomFacts } from '../mode.ts'
import { nodes, type WorkflowNode } from './state.ts'

export type Roles = Record<WorkflowNode, string>

/**
 * Who does which node: by the role map, else by name, else in order. With fewer than three agents one does several
 * nodes, but nobody reviews its own work unless it is alone. Undefined when nobody is there.
 */
export function assignRoles(room: RoomFacts): Roles | undefined {
  const names = room.agents.map(({ name }) => name)
  if (names[0] === undefined) return undefined
  const roles: Partial<Roles> = {}
  const isFree = (name: string) => !Object.values(roles).includes(name)
  const isOwnReview = (node: WorkflowNode, name: string) =>
    (node === 'coder' && name === roles.reviewer) || (node === 'reviewer' && name === roles.coder)

  for (const node of nodes) {
    const mapped = findName(names, room.settings.roleMap[node])
    if (mapped !== undefined && !isOwnReview(node, mapped)) roles[node] = mapped
  }
  for (const node of nodes) {
    const named = findName(names, node)
    if (named !== undefined && isFree(named)) roles[node] ??= named
  }
  for (const node of nodes)
    roles[node] ??=
      names.find(isFree) ??
      // a tester that is not the coder is a second pair of eyes as well
      names.find((name) => name !== roles.coder && !isOwnReview(node, name)) ??
      names[0]
  return roles as Roles // each node was filled above
}

/** Throws for a role map that cannot be followed. */
export function requireRoleMap({ agents, settings: { roleMap } }: RoomFacts): void {
  const names = agents.map(({ name }) => name)
  for (const node of nodes)
    if (roleMap[node] !== undefined && findName(names, roleMap[node]) === undefined)
      throw invalidRequest(
        `roleMap: ${node} is ${quote(roleMap[node])}, who is not in this room. In it are: ${names.join(', ')}.`,
      )
  const [coder, reviewer] = [findName(names, roleMap.coder), findName(names, roleMap.reviewer)]
  if (names.length > 1 && coder !== undefined && coder === reviewer)
    throw invalidRequest(
      `roleMap: ${quote(coder)} cannot be both coder and reviewer; give the review to another.`,
    )
}

const findName = (names: readonly string[], wanted: string | undefined) =>
  names.find((name) => name.toLowerCase() === wanted?.toLowerCase())
