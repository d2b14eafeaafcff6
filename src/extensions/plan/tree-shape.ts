import type { NodeLinks } from './store/plans.ts'

/** Who is below whom and who waits for whom in a whole plan, and nothing else of it. */
export class PlanShape {
  readonly #links: Map<number, NodeLinks>
  readonly #below = new Map<number, number[]>()

  /** The children of each parent in their order. */
  constructor(links: readonly NodeLinks[]) {
    this.#links = new Map(links.map((node) => [node.id, node]))
    for (const { id, parentId } of links) {
      const siblings = this.#below.get(parentId)
      if (siblings) siblings.push(id)
      else this.#below.set(parentId, [id])
    }
  }

  get size(): number {
    return this.#links.size
  }

  get(id: number): NodeLinks | undefined {
    return this.#links.get(id)
  }

  has(id: number): boolean {
    return this.#links.has(id)
  }

  childrenOf(id: number): readonly number[] {
    return this.#below.get(id) ?? []
  }

  /** The node and all above it, nearest first; ends where one comes round to itself. */
  above(id: number): number[] {
    const found = new Set<number>()
    for (let current = id; current !== 0 && !found.has(current);)
      current = (found.add(current), this.#links.get(current)?.parentId ?? 0)
    return [...found]
  }

  /** The levels below a node: 0 when nothing is. */
  heightOf(id: number): number {
    let height = -1
    for (let level: readonly number[] = [id]; level.length > 0; height++)
      level = level.flatMap((node) => this.childrenOf(node))
    return height
  }

  /** How one comes from nodes to one of others, by what each waits for: its dependencies and all below it. */
  findWay(from: readonly number[], to: ReadonlySet<number>): number[] | undefined {
    const cameFrom = new Map<number, number>(from.map((id) => [id, 0]))
    for (const open = [...from]; open.length > 0;) {
      const current = open.pop()!
      if (to.has(current)) return wayTo(current, cameFrom)
      for (const next of this.#waitsFor(current))
        if (!cameFrom.has(next)) {
          cameFrom.set(next, current)
          open.push(next)
        }
    }
    return undefined
  }

  /** A node that waits for itself in the end; undefined when there is none. */
  findCircle(): number | undefined {
    // 1: being visited, 2: known to be in no cycle
    const seen = new Map<number, 1 | 2>()
    for (const start of this.#links.keys()) {
      const open = [start]
      while (open.length > 0) {
        const current = open.at(-1)!
        if (seen.get(current) === undefined) {
          seen.set(current, 1)
          for (const next of this.#waitsFor(current)) {
            if (seen.get(next) === 1) return next
            if (seen.get(next) === undefined) open.push(next)
          }
        } else {
          seen.set(current, 2)
          open.pop()
        }
      }
    }
    return undefined
  }

  #waitsFor(id: number): number[] {
    return [...(this.#links.get(id)?.dependencies ?? []), ...this.childrenOf(id)]
  }
}

function wayTo(end: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way: number[] = []
  for (let id = end; id !== 0; id = cameFrom.get(id)!) way.push(id)
  return way.toReversed()
}
