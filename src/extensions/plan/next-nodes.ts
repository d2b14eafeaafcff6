import { doneStates, type NodeLinks } from './store/plans.ts'

export interface NextNodes {
  /** Can be started now, in the given order. */
  ready: number[]
  /** Cannot be done before something else changes, and why; what others wait for comes before them. */
  blocked: Map<number, string>
  /** Are to be done, and wait for one that is being done or will be. */
  waiting: number
}

type Verdict = { is: 'done' | 'ready' | 'waits' } | { is: 'blocked'; reason: string }

/**
 * Which of the pending nodes can be started: a node waits for its dependencies and for all below it. A pure
 * function of what is stored, so that after a crash the result is the same.
 */
export function nextNodes(states: readonly NodeLinks[], isWanted: (id: number) => boolean): NextNodes {
  const byId = new Map(states.map((state) => [state.id, state]))
  const children = childrenOf(states)
  const waitsFor = ({ id, dependencies }: NodeLinks) => [...dependencies, ...(children.get(id) ?? [])]
  const verdicts = new Map<number, Verdict>()

  // by a stack of its own: a chain may be longer than that of the engine
  for (const { id: start } of states) {
    const open = [start]
    while (open.length > 0) {
      const state = byId.get(open.at(-1)!)!
      if (verdicts.has(state.id)) {
        open.pop()
        continue
      }
      const unknown = waitsFor(state).filter((id) => byId.has(id) && !verdicts.has(id))
      if (isSettled(state) || !isWanted(state.id) || unknown.length === 0) {
        verdicts.set(state.id, judge(state))
        open.pop()
      } else open.push(...unknown)
    }
  }

  function judge(state: NodeLinks): Verdict {
    if (doneStates.includes(state.status)) return { is: 'done' }
    if (state.status === 'running') return { is: 'waits' }
    if (state.status !== 'pending' || !isWanted(state.id))
      return { is: 'blocked', reason: `task ${state.id} ${words[state.status]}` }
    let waits = false
    for (const id of waitsFor(state)) {
      const verdict = verdicts.get(id)
      if (verdict?.is === 'blocked') return { is: 'blocked', reason: verdict.reason }
      if (verdict && verdict.is !== 'done') waits = true
    }
    return { is: waits ? 'waits' : 'ready' }
  }

  const next: NextNodes = { ready: [], blocked: new Map(), waiting: 0 }
  const isOpen = ({ id, status }: NodeLinks) => status === 'pending' && isWanted(id)
  for (const state of states) {
    if (!isOpen(state)) continue
    const { id } = state
    const verdict = verdicts.get(id)!
    if (verdict.is === 'ready') next.ready.push(id)
    else if (verdict.is === 'waits') next.waiting++
  }
  for (const [id, verdict] of verdicts)
    if (verdict.is === 'blocked' && isOpen(byId.get(id)!))
      next.blocked.set(id, `It waits: ${verdict.reason}.`)
  return next
}

const isSettled = ({ status }: NodeLinks) => status !== 'pending'

const words: Record<NodeLinks['status'], string> = {
  pending: 'is not done',
  running: 'is being done',
  completed: 'is completed',
  partial: 'is done only in part',
  refused: 'was refused',
  failed: 'failed',
  skipped: 'is skipped',
  blocked: 'is blocked',
}

/** A node and all below it. */
export function subtreeOf(states: readonly NodeLinks[], rootId: number): Set<number> {
  const children = childrenOf(states)
  const found = new Set<number>()
  const open = [rootId]
  while (open.length > 0) {
    const id = open.pop()!
    if (found.has(id)) continue
    found.add(id)
    open.push(...(children.get(id) ?? []))
  }
  return found
}

/** What waits for a node, directly or through others: those that depend on it, and those above it. */
export function downstreamOf(states: readonly NodeLinks[], from: Iterable<number>): Set<number> {
  const byId = new Map(states.map((state) => [state.id, state]))
  const dependents = grouped(
    states.flatMap(({ id, dependencies }) => dependencies.map((on) => [on, id] as const)),
  )
  const found = new Set<number>()
  const open = [...from]
  while (open.length > 0) {
    const id = open.pop()!
    const parentId = byId.get(id)?.parentId
    for (const next of [...(dependents.get(id) ?? []), ...(parentId ? [parentId] : [])])
      if (!found.has(next)) {
        found.add(next)
        open.push(next)
      }
  }
  return found
}

const childrenOf = (states: readonly NodeLinks[]) =>
  grouped(states.map(({ id, parentId }) => [parentId, id] as const))

function grouped(pairs: readonly (readonly [number, number])[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}
