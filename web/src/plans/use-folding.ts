import { useMemo, useState } from 'react'
import { ancestorsOf, type Tree } from './plan-tree.ts'

// larger ones would hide their shape behind their length
const mostOpen = 500

export interface Folding {
  closed: ReadonlySet<number>
  toggle(id: number): void
  /** All above a node, so that it is seen. */
  openTo(id: number): void
  openAll(): void
  closeAll(): void
}

/** Which nodes are closed; of a large plan at first all below the first level. */
export function useFolding(tree: Tree): Folding {
  const [closed, setClosed] = useState<ReadonlySet<number>>(
    () => new Set(tree.nodes.length > mostOpen ? parentsOf(tree, 1) : []),
  )
  return useMemo(
    () => ({
      closed,
      toggle: (id) =>
        setClosed((was) =>
          was.has(id) ? new Set([...was].filter((one) => one !== id)) : new Set([...was, id]),
        ),
      openTo: (id) =>
        setClosed((was) => {
          const above = ancestorsOf(tree, id).filter((one) => was.has(one))
          return above.length === 0 ? was : new Set([...was].filter((one) => !above.includes(one)))
        }),
      openAll: () => setClosed(new Set()),
      closeAll: () => setClosed(new Set(parentsOf(tree, 0))),
    }),
    [closed, tree],
  )
}

const parentsOf = (tree: Tree, fromDepth: number): number[] =>
  tree.nodes.filter(({ id, depth }) => depth >= fromDepth && tree.children.has(id)).map(({ id }) => id)
