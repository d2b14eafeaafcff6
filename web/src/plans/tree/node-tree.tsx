import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useImperativeHandle, useMemo, useRef, useState, type RefObject } from 'react'
import type { PlaceWish } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { useStable } from '../../ui/use-stable.ts'
import { NameBox } from '../name-box.tsx'
import { nodeTexts } from '../texts.ts'
import { draftAt, sumsOf, visibleRows, type Tree } from '../plan-tree.ts'
import type { Folding } from '../use-folding.ts'
import type { NodeActions } from '../use-node-actions.tsx'
import { NodeRow, placeOf, rowHeight, type RowEvents } from './node-row.tsx'
import { useDrag } from './use-drag.ts'
import { useTreeKeys } from './use-tree-keys.ts'

export interface NodeTreeHandle {
  focus(id: number): void
}

interface Props {
  label: string
  tree: Tree
  folding: Folding
  actions: NodeActions
  selected?: number
  renaming?: number
  /** A node that is about to be made. */
  draft?: PlaceWish
  /** In a narrow place. */
  isCompact?: boolean
  handle?: RefObject<NodeTreeHandle | null>
  /** `isOpened` when its detail is wanted, and not only to be shown which it is. */
  onSelect(id: number, isOpened: boolean): void
  onMove(id: number, place: PlaceWish): void
  onRenamed(id: number, name: string | undefined): void
  onDrafted(name: string | undefined, goesOn: boolean): void
}

/** The nodes of a plan; only what is seen of it is drawn. */
export function NodeTree(props: Props) {
  const { label, tree, folding, actions, selected, renaming, draft, isCompact = false } = props
  const t = useTexts(nodeTexts)
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => visibleRows(tree, folding.closed), [tree, folding.closed])
  const sums = useMemo(() => sumsOf(tree), [tree])
  const written = draft && draftAt(rows, draft)
  const indexes = useMemo(() => new Map(rows.map(({ node }, index) => [node.id, index])), [rows])
  const [lastActive, setActive] = useState<number>()
  const active = [lastActive, selected].find((id) => id !== undefined && indexes.has(id)) ?? rows[0]?.node.id
  const activeIndex = active === undefined ? -1 : indexes.get(active)!
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed to what is memoised
  const virtual = useVirtualizer({
    count: rows.length + (written ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // Tab has to find the row that one was at, also when it is out of sight
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range)
      return activeIndex < 0 || seen.includes(activeIndex)
        ? seen
        : [...seen, activeIndex].toSorted((a, b) => a - b)
    },
  })
  const focus = useNodeFocus(scroller)
  const goTo = (id: number) => {
    setActive(id)
    const index = indexes.get(id)
    if (index !== undefined) virtual.scrollToIndex(index)
    focus(id)
  }
  useImperativeHandle(props.handle, () => ({ focus: goTo }))
  useScrollTo(selected, selected === undefined ? undefined : indexes.get(selected), folding, virtual)
  const writtenIndex = written?.index
  useEffect(() => {
    if (writtenIndex !== undefined) virtual.scrollToIndex(writtenIndex)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each place
  }, [writtenIndex])
  const drag = useDrag(tree, props.onMove)
  const keyDown = useTreeKeys({ rows, folding, actions, goTo, onSelect: (id) => props.onSelect(id, true) })
  const on: RowEvents = useStable({
    ...drag.ofRows,
    keyDown,
    select(id: number) {
      setActive(id)
      props.onSelect(id, false)
    },
    toggle: folding.toggle,
    goTo(id: number) {
      folding.openTo(id)
      props.onSelect(id, false)
    },
    renamed(id: number, name: string | undefined) {
      props.onRenamed(id, name)
      focus(id)
    },
  })
  return (
    <div ref={scroller} className="@container h-full overflow-y-auto px-2 py-1" {...drag.ofRest}>
      <div
        role="tree"
        aria-label={label}
        tabIndex={-1}
        className="relative outline-none"
        style={{ height: virtual.getTotalSize() }}
        onFocus={({ target }) => {
          const id = target.closest<HTMLElement>('[data-node]')?.dataset.node
          if (id !== undefined) setActive(Number(id))
        }}
        onDragOver={(event) => event.stopPropagation()}
        onDrop={(event) => event.stopPropagation()}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          if (written?.index === index)
            return (
              <div
                key="draft"
                role="treeitem"
                aria-level={written.depth + 1}
                aria-selected={false}
                tabIndex={-1}
                className="absolute inset-x-0 top-0 flex items-center"
                style={placeOf(start, written.depth + 1)}
              >
                <NameBox
                  // each goes to a place of its own
                  key={JSON.stringify(draft)}
                  label={t.newNode}
                  name=""
                  placeholder={t.newNodeHint}
                  className="flex-1 text-sm"
                  onDone={props.onDrafted}
                />
              </div>
            )
          const row = rows[written && index > written.index ? index - 1 : index]!
          const { id } = row.node
          return (
            <NodeRow
              key={id}
              row={row}
              tree={tree}
              sum={sums.get(id)}
              top={start}
              isActive={id === active}
              isSelected={id === selected}
              isRenaming={id === renaming}
              isCompact={isCompact}
              heldAt={drag.sideOver(id)}
              actions={actions}
              on={on}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Puts the focus on a row, as soon as it is drawn. */
function useNodeFocus(scroller: { current: HTMLElement | null }) {
  const wanted = useRef<number>(undefined)
  const put = () => {
    if (wanted.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-node="${wanted.current}"]`)
    // one that is being renamed keeps it in its box
    if (!row || row.querySelector('input')) return
    row.focus({ preventScroll: true })
    wanted.current = undefined
  }
  useEffect(put)
  return (id: number) => {
    wanted.current = id
    put()
  }
}

/** What is selected is brought into sight, wherever that was done. */
function useScrollTo(
  id: number | undefined,
  index: number | undefined,
  folding: Folding,
  virtual: { scrollToIndex(index: number): void },
): void {
  useEffect(() => {
    if (id !== undefined) folding.openTo(id)
    // oxlint-disable-next-line react/exhaustive-deps -- when another is selected; it may be folded away afterwards
  }, [id])
  const isThere = index !== undefined
  useEffect(() => {
    if (isThere) virtual.scrollToIndex(index)
    // oxlint-disable-next-line react/exhaustive-deps -- when it is there, not when others before it come and go
  }, [id, isThere])
}
