import { clsx } from 'clsx'
import { ChevronsDownUp, ChevronsUpDown, ListTree, Network, Plus, Table2, Undo2 } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { planTexts } from './texts.ts'
import type { PlanEditing } from './use-plan-editing.ts'

export const views = ['tree', 'list', 'graph'] as const
export type View = (typeof views)[number]

const icons = { tree: ListTree, list: Table2, graph: Network }

interface Props {
  view: View
  onView(view: View): void
  editing: PlanEditing
}

/** How the nodes are shown, and what is done to all of them. */
export function ViewBar({ view, onView, editing: { folding, deeds, onAdd } }: Props) {
  const t = useTexts(planTexts)
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-2">
      <div role="group" aria-label={t.showAs} className="flex gap-1">
        {views.map((name) => {
          const Icon = icons[name]
          return (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              onClick={() => onView(name)}
              className={clsx(
                'inline-flex h-7 items-center gap-1 rounded-md px-2 text-sm hover:bg-hover',
                view === name && 'bg-selected',
              )}
            >
              <Icon aria-hidden className="size-4" />
              {t.views[name]}
            </button>
          )
        })}
      </div>
      <span className="flex-1" />
      {view === 'tree' && (
        <>
          <IconButton size="small" label={t.openAll} onClick={folding.openAll}>
            <ChevronsUpDown />
          </IconButton>
          <IconButton size="small" label={t.closeAll} onClick={folding.closeAll}>
            <ChevronsDownUp />
          </IconButton>
        </>
      )}
      <IconButton size="small" label={t.undoLast} onClick={() => void deeds.undo()}>
        <Undo2 />
      </IconButton>
      <Button size="small" onClick={() => onAdd({ parentId: 0 })}>
        <Plus aria-hidden />
        <span className="max-sm:sr-only">{t.addNode}</span>
      </Button>
    </div>
  )
}
