import { useCallback, useEffect, useRef, type ReactNode, type RefObject } from 'react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { onEscape } from '../ui/on-escape.ts'
import { Sheet } from '../ui/sheet.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { useTitle } from '../ui/use-title.ts'
import { NodePanel } from './detail/node-panel.tsx'
import { PlanGraph } from './graph/plan-graph.tsx'
import { NodeList } from './list/node-list.tsx'
import { nodeTexts, planTexts } from './texts.ts'
import { PlanForms } from './plan-forms.tsx'
import { PlanHead } from './plan-head.tsx'
import { PlanTopbar } from './plan-topbar.tsx'
import type { Tree } from './plan-tree.ts'
import { NoNodes } from './no-nodes.tsx'
import { RunStrip } from './runs/run-strip.tsx'
import { NodeTree } from './tree/node-tree.tsx'
import { useHasRoom } from './use-has-room.ts'
import { usePlanEditing } from './use-plan-editing.ts'
import { ViewBar, views, type View } from './view-bar.tsx'

/** In the URL: how the nodes are shown, which one is looked at, and what is about to be done. */
type Search = 'view' | 'node' | 'form'

// less, and neither the nodes nor what is known of one could be read
const besidePx = 720

/** One plan: what it consists of, how it stands, and all that can be done with it. */
export function PlanView({ plan, tree }: { plan: Plan; tree: Tree }) {
  const t = useTexts(planTexts)
  const [search, setSearch] = useSearchState<Search>()
  const view = views.find((name) => name === search.view) ?? 'tree'
  const node = tree.byId.get(Number(search.node))
  const setView = (next: View) => setSearch({ view: next === 'tree' ? undefined : next })
  const editing = usePlanEditing(plan.id, tree, () => view !== 'tree' && setView('tree'))
  const { select, panel } = useSelection(node?.id, (id) =>
    // going from one to the other is no way that one goes back
    setSearch(
      { node: id === undefined ? undefined : String(id) },
      { replace: node !== undefined && id !== undefined },
    ),
  )
  const close = () => {
    select(undefined, false)
    if (node) editing.handle.current?.focus(node.id)
  }
  const body = useRef<HTMLDivElement>(null)
  const hasRoom = useHasRoom(body, besidePx)
  useTitle(plan.title)
  const shared = { label: t.nodesOf(plan.title), tree, selected: node?.id, onSelect: select }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PlanTopbar plan={plan} deeds={editing.deeds} onForm={(form) => setSearch({ form })} />
      <PlanHead plan={plan} tree={tree} deeds={editing.deeds} />
      <RunStrip plan={plan} onGoTo={(id) => select(id, false)} />
      <ViewBar view={view} onView={setView} editing={editing} />
      <div ref={body} className="flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          {tree.nodes.length === 0 && !editing.draft ? (
            <NoNodes onAdd={() => editing.onAdd({ parentId: 0 })} onForm={(form) => setSearch({ form })} />
          ) : view === 'tree' ? (
            <NodeTree {...shared} {...editing} />
          ) : view === 'list' ? (
            <NodeList {...shared} {...editing} />
          ) : (
            <PlanGraph {...shared} />
          )}
        </div>
        {node && hasRoom !== undefined && (
          <Detail isBeside={hasRoom} panel={panel} onClose={close}>
            {(onClose) => (
              <NodePanel
                planId={plan.id}
                nodeId={node.id}
                tree={tree}
                version={plan.version}
                actions={editing.actions}
                deeds={editing.deeds}
                onClose={onClose}
                onGoTo={(id) => select(id, false)}
              />
            )}
          </Detail>
        )}
      </div>
      {editing.actions.dialog}
      <PlanForms
        plan={plan}
        tree={tree}
        deeds={editing.deeds}
        form={search.form}
        onClose={() => setSearch({ form: undefined })}
      />
    </div>
  )
}

interface DetailProps {
  isBeside: boolean
  panel: RefObject<HTMLElement | null>
  onClose(): void
  /** Gets what closes it, where it has to bring its own button for that. */
  children(onClose: (() => void) | undefined): ReactNode
}

function Detail({ isBeside, panel, onClose, children }: DetailProps) {
  const t = useTexts(nodeTexts)
  const isPhone = useMediaQuery('(max-width: 640px)')
  if (isBeside)
    return (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it, wherever in it one is
      <aside
        ref={panel}
        tabIndex={-1}
        aria-label={t.detail}
        onKeyDown={onEscape(onClose)}
        className="w-[24rem] shrink-0 overflow-y-auto border-s border-line bg-surface outline-none"
      >
        {children(onClose)}
      </aside>
    )
  return (
    <Sheet side={isPhone ? 'bottom' : 'right'} label={t.detail} onClose={onClose}>
      <div className="min-h-0 flex-1 overflow-y-auto pt-8">{children(undefined)}</div>
    </Sheet>
  )
}

/** Which node is looked at; opened by keyboard the focus goes to what is known of it. */
function useSelection(selected: number | undefined, onChange: (id: number | undefined) => void) {
  const panel = useRef<HTMLElement>(null)
  const wanted = useRef<number>(undefined)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
    if (wanted.current === undefined || wanted.current !== selected) return
    panel.current?.focus()
    wanted.current = undefined
  })
  const select = useCallback((id: number | undefined, isOpened: boolean) => {
    wanted.current = isOpened ? id : undefined
    latest.current(id)
  }, [])
  return { select, panel }
}
