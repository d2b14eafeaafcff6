import { useRef, useState, type RefObject } from 'react'
import type { PlaceWish } from '../../../src/extensions/plan/protocol/plan-node.ts'
import type { Tree } from './plan-tree.ts'
import type { NodeTreeHandle } from './tree/node-tree.tsx'
import { useFolding, type Folding } from './use-folding.ts'
import { useNodeActions, type NodeActions } from './use-node-actions.tsx'
import { usePlanDeeds, type PlanDeeds } from './use-plan-deeds.ts'

export interface PlanEditing {
  deeds: PlanDeeds
  actions: NodeActions
  folding: Folding
  handle: RefObject<NodeTreeHandle | null>
  renaming?: number
  draft?: PlaceWish
  onAdd(place: PlaceWish): void
  onRenamed(id: number, name: string | undefined): void
  onDrafted(name: string | undefined, goesOn: boolean): void
  onMove(id: number, place: PlaceWish): void
}

/** What is being done to a tree of nodes, wherever it is shown. */
export function usePlanEditing(planId: string, tree: Tree, onDraft?: () => void): PlanEditing {
  const deeds = usePlanDeeds(planId)
  const folding = useFolding(tree)
  const handle = useRef<NodeTreeHandle>(null)
  const [renaming, setRenaming] = useState<number>()
  const [draft, setDraft] = useState<PlaceWish>()
  const onAdd = (place: PlaceWish) => {
    const { parentId = 0 } = place
    if (folding.closed.has(parentId)) folding.toggle(parentId)
    setDraft(place)
    onDraft?.()
  }
  const actions = useNodeActions({
    tree,
    deeds,
    onRename: setRenaming,
    onAdd,
    onMoved(id) {
      // below another one it may be folded away
      folding.openTo(id)
      handle.current?.focus(id)
    },
  })
  return {
    deeds,
    actions,
    folding,
    handle,
    renaming,
    draft,
    onAdd,
    onRenamed(id, name) {
      setRenaming(undefined)
      if (name !== undefined) void deeds.rename(id, name)
    },
    onDrafted(name, goesOn) {
      const from = draft?.after ?? draft?.parentId
      if (name === undefined) {
        setDraft(undefined)
        if (from) handle.current?.focus(from)
        return
      }
      void deeds.add({ name, ...draft }).then((id) => {
        setDraft(id !== undefined && goesOn ? { after: id } : undefined)
        if (id !== undefined && !goesOn) handle.current?.focus(id)
      })
    },
    onMove: (id, place) => void deeds.move(id, place),
  }
}
