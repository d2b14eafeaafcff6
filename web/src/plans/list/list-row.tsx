import { clsx } from 'clsx'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { NameBox } from '../name-box.tsx'
import { nodeTexts, planTexts } from '../texts.ts'
import type { Tree } from '../plan-tree.ts'
import { RowMenu } from '../row-menu.tsx'
import { StatusMark } from '../status-mark.tsx'
import { DependencyMarks } from '../tree/dependency-marks.tsx'
import type { NodeActions } from '../use-node-actions.tsx'

interface Props {
  node: TreeNode
  rowIndex: number
  tree: Tree
  actions: NodeActions
  isSelected: boolean
  isRenaming: boolean
  onSelect(id: number, isOpened: boolean): void
  onRenamed(id: number, name: string | undefined): void
}

export const listRowHeight = 37

/** A node in the list of all. */
export function ListRow({
  node,
  rowIndex,
  tree,
  actions,
  isSelected,
  isRenaming,
  onSelect,
  onRenamed,
}: Props) {
  const t = useTexts(nodeTexts)
  const { statuses } = useTexts(planTexts)
  const { count, money } = useFormats()
  const parent = tree.byId.get(node.parentId)
  return (
    <tr
      data-node={node.id}
      data-status={node.status}
      aria-rowindex={rowIndex}
      className={clsx('border-b border-line [&>td]:px-3 [&>th]:px-3', isSelected && 'bg-selected')}
      style={{ height: listRowHeight }}
    >
      <td className="text-muted tabular-nums">{node.id}</td>
      <th scope="row" className="text-start font-normal">
        {isRenaming ? (
          <NameBox
            label={t.newName}
            name={node.name}
            className="w-full"
            onDone={(name) => onRenamed(node.id, name)}
          />
        ) : (
          <button
            type="button"
            title={node.name}
            aria-current={isSelected || undefined}
            onClick={() => onSelect(node.id, true)}
            className="block min-h-6 max-w-full truncate rounded hover:underline"
          >
            <bdi>{node.name}</bdi>
          </button>
        )}
      </th>
      <td>
        <span className="flex items-center gap-1.5 whitespace-nowrap">
          <StatusMark status={node.status} />
          <span aria-hidden className="@max-sm:hidden">
            {statuses[node.status]}
          </span>
        </span>
      </td>
      <td className="truncate text-muted @max-2xl:hidden" title={parent?.name}>
        <bdi>{parent?.name}</bdi>
      </td>
      <td className="@max-lg:hidden">
        <DependencyMarks node={node} tree={tree} tabIndex={0} onGoTo={(id) => onSelect(id, false)} />
      </td>
      <td className="text-end text-muted tabular-nums @max-xl:hidden">
        {node.tokens !== undefined && node.tokens > 0 && count(node.tokens)}
      </td>
      <td className="text-end text-muted tabular-nums @max-md:hidden">
        {node.cost !== undefined && node.cost > 0 && money(node.cost)}
      </td>
      <td className="px-1!">
        <RowMenu label={t.menuOf(node.name)} items={() => actions.itemsOf(node)} />
      </td>
    </tr>
  )
}
