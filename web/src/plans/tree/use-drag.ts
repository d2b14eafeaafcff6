import { useState, type DragEvent } from 'react'
import type { PlaceWish } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { placeOfDrop, type DropSide, type Tree, type TreeRow } from '../plan-tree.ts'

interface Held {
  id: number
  /** The row it is held over; 0 is the room below the last one. */
  over?: { id: number; side: DropSide }
}

/** Moves nodes by dragging their rows: between two of them, or into one. */
export function useDrag(tree: Tree, onMove: (id: number, place: PlaceWish) => void) {
  const [held, setHeld] = useState<Held>()
  const holdOver = (event: DragEvent, over: NonNullable<Held['over']>) => {
    event.preventDefault()
    event.dataTransfer.dropEffect = 'move'
    if (held?.over?.id !== over.id || held.over.side !== over.side) setHeld({ ...held!, over })
  }
  const drop = (event: DragEvent, place: PlaceWish | undefined) => {
    event.preventDefault()
    setHeld(undefined)
    if (held && place) onMove(held.id, place)
  }
  return {
    sideOver: (id: number) => (held?.over?.id === id ? held.over.side : undefined),
    ofRows: {
      dragStart(row: TreeRow, event: DragEvent) {
        event.dataTransfer.effectAllowed = 'move'
        // some browsers begin nothing without
        event.dataTransfer.setData('text/plain', row.node.name)
        setHeld({ id: row.node.id })
      },
      dragOver(row: TreeRow, event: DragEvent) {
        if (!held) return
        const side = sideAt(event)
        // elsewhere the browser shows that it cannot be dropped
        if (placeOfDrop(tree, held.id, row, side)) holdOver(event, { id: row.node.id, side })
        else if (held.over) setHeld({ id: held.id })
      },
      dragEnd: () => setHeld(undefined),
      drop: (row: TreeRow, event: DragEvent) =>
        drop(event, held && placeOfDrop(tree, held.id, row, sideAt(event))),
    },
    ofRest: {
      onDragOver: (event: DragEvent) => void (held && holdOver(event, { id: 0, side: 'into' })),
      onDrop: (event: DragEvent) => drop(event, { parentId: 0, position: 'last_child' }),
    },
  }
}

/** The edges of a row are between two, its middle is the row itself. */
function sideAt({ currentTarget, clientY }: DragEvent): DropSide {
  const { top, height } = currentTarget.getBoundingClientRect()
  const share = (clientY - top) / height
  return share < 0.3 ? 'before' : share > 0.7 ? 'after' : 'into'
}
