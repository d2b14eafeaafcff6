import { ParleyError } from '../../../src/client/index.ts'

/** What others changed since the version that a change went by. */
export interface Conflict {
  version: number
  nodes: readonly number[]
}

/** Undefined for an error of another kind. */
export function conflictOf(error: unknown): Conflict | undefined {
  if (!(error instanceof ParleyError) || error.code !== 'conflict') return undefined
  const { version, nodes } = (error.details ?? {}) as Partial<Conflict>
  return typeof version === 'number' && Array.isArray(nodes) ? { version, nodes } : undefined
}

// more than this and somebody changes the plan faster than one can write to it
const tries = 5

/** Changes one node: what others did to other nodes meanwhile is no reason to refuse it. */
export async function changeNode<Answer>(
  nodeId: number,
  baseVersion: number | undefined,
  change: (baseVersion: number | undefined) => Promise<Answer>,
): Promise<Answer> {
  for (let version = baseVersion, failures = 1; ; failures++) {
    try {
      return await change(version)
    } catch (error) {
      const conflict = conflictOf(error)
      if (!conflict || conflict.nodes.includes(nodeId) || failures >= tries) throw error
      version = conflict.version
    }
  }
}
