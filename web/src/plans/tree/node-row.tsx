import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { memo, type DragEvent, type KeyboardEvent } from 'react'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { NameBox } from '../name-box.tsx'
import { nodeTexts } from '../texts.ts'
import type { DropSide, Sum, Tree, TreeRow } from '../plan-tree.ts'
import { RowMenu } from '../row-menu.tsx'
import { Stale } from '../stale.tsx'
import { StatusMark } from '../status-mark.tsx'
import type { NodeActions } from '../use-node-actions.tsx'
import { DependencyMarks } from './dependency-marks.tsx'

/** What happens to a row; the same functions for all of them. */
export interface RowEvents {
  select(id: number): void
  toggle(id: number): void
  goTo(id: number): void
  renamed(id: number, name: string | undefined): void
  keyDown(event: KeyboardEvent<HTMLElement>): void
  dragStart(row: TreeRow, event: DragEvent): void
  dragOver(row: TreeRow, event: DragEvent): void
  dragEnd(): void
  drop(row: TreeRow, event: DragEvent): void
}

interface Props {
  row: TreeRow
  tree: Tree
  sum?: Sum
  top: number
  /** In the order of Tab; one row of a tree is. */
  isActive: boolean
  isSelected: boolean
  isRenaming: boolean
  isCompact: boolean
  /** Something is held over it. */
  heldAt?: DropSide
  actions: NodeActions
  on: RowEvents
}

export const rowHeight = 32
// deeper levels would leave no room for the words
const mostDepth = 12

export const placeOf = (top: number, depth: number) => ({
  height: rowHeight,
  transform: `translateY(${top}px)`,
  paddingInlineStart: 4 + Math.min(depth, mostDepth) * 16,
})

/** A node in the tree: how it stands, what it is called, what it waits for and what it came to. */
export const NodeRow = memo(function NodeRow(props: Props) {
  const { row, tree, sum, top, isActive, isSelected, isRenaming, isCompact, heldAt, actions, on } = props
  const t = useTexts(nodeTexts)
  const { node, hasChildren, isOpen, place, siblings } = row
  const tabIndex = isActive ? 0 : -1
  return (
    <div
      role="treeitem"
      aria-level={node.depth + 1}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-selected={isSelected}
      tabIndex={tabIndex}
      data-node={node.id}
      data-status={node.status}
      draggable={!isRenaming}
      onDragStart={(event) => on.dragStart(row, event)}
      onDragOver={(event) => on.dragOver(row, event)}
      onDragEnd={on.dragEnd}
      onDrop={(event) => on.drop(row, event)}
      onClick={() => on.select(node.id)}
      onDoubleClick={() => actions.perform(node, 'rename')}
      onKeyDown={on.keyDown}
      className={clsx(
        'group absolute inset-x-0 top-0 flex items-center gap-1.5 rounded-md pe-1 text-sm focus-visible:outline-offset-[-2px]',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
        heldAt === 'into' && 'ring-2 ring-accent ring-inset',
        heldAt === 'before' && 'shadow-[inset_0_2px_0_var(--accent)]',
        heldAt === 'after' && 'shadow-[inset_0_-2px_0_var(--accent)]',
      )}
      style={placeOf(top, node.depth)}
    >
      <Chevron hasChildren={hasChildren} isOpen={isOpen} onToggle={() => on.toggle(node.id)} />
      <StatusMark status={node.status} />
      {isRenaming ? (
        <NameBox
          label={t.newName}
          name={node.name}
          className="flex-1"
          onDone={(name) => on.renamed(node.id, name)}
        />
      ) : (
        <>
          <bdi title={node.name} className="min-w-8 truncate">
            {node.name}
          </bdi>
          <span aria-hidden className="shrink-0 text-xs text-muted tabular-nums">
            #{node.id}
          </span>
          {node.stale && <Stale ids={node.stale} />}
          <DependencyMarks node={node} tree={tree} tabIndex={tabIndex} onGoTo={on.goTo} />
          <span className="flex-1" />
          <Figures node={node} sum={sum} isCompact={isCompact} />
        </>
      )}
      <RowMenu
        label={t.menu}
        items={() => actions.itemsOf(node)}
        tabIndex={tabIndex}
        className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 pointer-coarse:opacity-100"
      />
    </div>
  )
})

interface ChevronProps extends Pick<TreeRow, 'hasChildren' | 'isOpen'> {
  onToggle(): void
}

function Chevron({ hasChildren, isOpen, onToggle }: ChevronProps) {
  if (!hasChildren) return <span className="w-5 shrink-0" />
  return (
    <button
      type="button"
      // the row itself says that it can be opened, and arrows open it
      aria-hidden
      tabIndex={-1}
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      className="flex h-6 w-5 shrink-0 items-center justify-center rounded text-muted hover:text-text"
    >
      <ChevronRight aria-hidden className={clsx('size-4', isOpen && 'rotate-90')} />
    </button>
  )
}

interface FiguresProps extends Pick<Props, 'sum' | 'isCompact'> {
  node: TreeNode
}

/** Of a node with all below it. */
function Figures({ node, sum, isCompact }: FiguresProps) {
  const t = useTexts(nodeTexts)
  const { count, money } = useFormats()
  const { cost = 0, tokens = 0 } = sum ?? node
  return (
    <span className="flex shrink-0 gap-2 text-xs text-muted tabular-nums">
      {sum && (
        <span title={t.doneBelow(sum.done, sum.total)}>
          {sum.done}/{sum.total}
        </span>
      )}
      {!isCompact && tokens > 0 && <span className="@max-lg:hidden">{t.tokens(count(tokens))}</span>}
      {!isCompact && cost > 0 && <span className="@max-sm:hidden">{t.cost(money(cost))}</span>}
    </span>
  )
}
