import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Empty } from '../../ui/states.tsx'
import { nodeTexts, planTexts } from '../texts.ts'
import { matchesNode, type Tree } from '../plan-tree.ts'
import { countStatuses, nodeStatuses } from '../status.ts'
import type { NodeActions } from '../use-node-actions.tsx'
import { ListRow, listRowHeight } from './list-row.tsx'

interface Props {
  label: string
  tree: Tree
  actions: NodeActions
  selected?: number
  renaming?: number
  onSelect(id: number, isOpened: boolean): void
  onRenamed(id: number, name: string | undefined): void
}

/** The nodes one after the other. In the URL: `status` and `words`, which they are filtered by. */
export function NodeList({ label, tree, actions, selected, renaming, onSelect, onRenamed }: Props) {
  const t = useTexts(nodeTexts)
  const { statuses, clear } = useTexts(planTexts)
  const [search, setSearch] = useSearchState<'status' | 'words'>()
  const status = nodeStatuses.find((name) => name === search.status)
  const words = search.words ?? ''
  const nodes = useMemo(
    () => tree.nodes.filter((node) => matchesNode(node, { status, words })),
    [tree, status, words],
  )
  const counts = useMemo(() => countStatuses(tree.nodes), [tree])
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed to what is memoised
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => listRowHeight,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <select
          aria-label={t.status}
          value={status ?? ''}
          onChange={({ target }) => setSearch({ status: target.value || undefined }, { replace: true })}
          className="h-8 rounded-md border border-line bg-page px-2 text-sm"
        >
          <option value="">{t.anyStatus}</option>
          {nodeStatuses.map((name) => (
            <option key={name} value={name}>
              {statuses[name]} ({counts[name] ?? 0})
            </option>
          ))}
        </select>
        <SearchBox
          label={t.search}
          clearLabel={clear}
          className="min-w-40 flex-1"
          value={words}
          onChange={(next) => setSearch({ words: next || undefined }, { replace: true })}
        />
        <p className="text-sm text-muted tabular-nums">{t.found(nodes.length, tree.nodes.length)}</p>
      </div>
      {nodes.length === 0 ? (
        <Empty>
          <p>{t.noneFound}</p>
        </Empty>
      ) : (
        <ScrollBox ref={scroller} label={label} className="min-h-0 flex-1">
          <table aria-rowcount={nodes.length + 1} className="w-full table-fixed text-sm">
            <thead className="sticky top-0 z-10 bg-page text-muted">
              <tr className="border-b border-line [&>th]:px-3 [&>th]:py-1.5 [&>th]:text-start [&>th]:font-medium [&>th]:whitespace-nowrap">
                <th scope="col" className="w-14">
                  #
                </th>
                <th scope="col">{t.name}</th>
                <th scope="col" className="w-32 @max-sm:w-12">
                  <span className="@max-sm:sr-only">{t.status}</span>
                </th>
                <th scope="col" className="w-40 @max-2xl:hidden">
                  {t.partOf}
                </th>
                <th scope="col" className="w-32 @max-lg:hidden">
                  {t.dependencies}
                </th>
                <th scope="col" className="w-24 text-end! @max-xl:hidden">
                  {t.tokensLabel}
                </th>
                <th scope="col" className="w-20 text-end! @max-md:hidden">
                  {t.costLabel}
                </th>
                <th scope="col" className="w-12">
                  <span className="sr-only">{t.actionsLabel}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {above > 0 && <tr aria-hidden style={{ height: above }} />}
              {items.map(({ index }) => (
                <ListRow
                  key={nodes[index]!.id}
                  node={nodes[index]!}
                  rowIndex={index + 2}
                  tree={tree}
                  actions={actions}
                  isSelected={nodes[index]!.id === selected}
                  isRenaming={nodes[index]!.id === renaming}
                  onSelect={onSelect}
                  onRenamed={onRenamed}
                />
              ))}
              {below > 0 && <tr aria-hidden style={{ height: below }} />}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </div>
  )
}
