import { lazy, Suspense, useMemo } from 'react'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/states.tsx'
import { nodeTexts } from '../texts.ts'
import type { Tree } from '../plan-tree.ts'
import { toGraph } from './to-graph.ts'

const PlanFlow = lazy(async () => ({ default: (await import('./plan-flow.tsx')).PlanFlow }))

interface Props {
  label: string
  tree: Tree
  selected?: number
  onSelect(id: number, isOpened: boolean): void
}

/** What is part of what, and what waits for what. In the URL: `from`, the node whose part is drawn alone. */
export function PlanGraph({ label, tree, selected, onSelect }: Props) {
  const t = useTexts(nodeTexts)
  const [search, setSearch] = useSearchState<'from'>()
  const from = tree.byId.get(Number(search.from))
  const graph = useMemo(() => toGraph(tree, from?.id), [tree, from?.id])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1 text-xs text-muted">
        <Legend />
        {graph.left > 0 && <span className="text-warning">{t.leftOut(graph.left)}</span>}
        {from && (
          <span className="flex min-w-0 items-center gap-2">
            <bdi className="truncate">{t.drawnFrom(from.name)}</bdi>
            <Button size="small" onClick={() => setSearch({ from: undefined })}>
              {t.drawAll}
            </Button>
          </span>
        )}
      </div>
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading />}>
          <PlanFlow
            label={label}
            graph={graph}
            selected={selected}
            onSelect={onSelect}
            onOpen={(id) => setSearch({ from: String(id) })}
          />
        </Suspense>
      </div>
    </div>
  )
}

function Legend() {
  const t = useTexts(nodeTexts)
  return (
    <>
      <span className="flex items-center gap-1.5">
        <span aria-hidden className="w-6 border-t border-muted" />
        {t.edgePart}
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden className="w-6 border-t border-dashed border-accent" />
        {t.edgeWait}
      </span>
    </>
  )
}
