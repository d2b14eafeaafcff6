import { ArrowLeft, Play, Plus } from 'lucide-react'
import { useMemo } from 'react'
import type { Plan } from '../../../../src/extensions/plan/protocol/plan.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { NodePanel } from '../detail/node-panel.tsx'
import { ExecuteForm } from '../execute-form.tsx'
import { PlanLink } from '../plan-link.tsx'
import { planTexts, sessionPlanTexts } from '../texts.ts'
import type { Tree } from '../plan-tree.ts'
import { Progress } from '../progress.tsx'
import { RunStrip } from '../runs/run-strip.tsx'
import { StopButton } from '../runs/stop-button.tsx'
import { countStatuses } from '../status.ts'
import { NodeTree } from '../tree/node-tree.tsx'
import { usePlanEditing } from '../use-plan-editing.ts'

/** A plan in the dock. In the URL: `node`, the one that is looked at, and `form=execute`. */
export function DockedPlan({ plan, tree }: { plan: Plan; tree: Tree }) {
  const t = useTexts(planTexts)
  const words = useTexts(sessionPlanTexts)
  const [search, setSearch] = useSearchState<'node' | 'form'>()
  const node = tree.byId.get(Number(search.node))
  const select = (id: number | undefined) => setSearch({ node: id === undefined ? undefined : String(id) })
  const editing = usePlanEditing(plan.id, tree)
  const counts = useMemo(() => countStatuses(tree.nodes), [tree])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-1 border-b border-line px-3 py-2">
        <PlanLink planId={plan.id} className="truncate font-medium hover:underline">
          <bdi>{plan.title}</bdi>
        </PlanLink>
        <div className="flex items-center gap-1.5">
          <Progress counts={counts} className="flex-1" />
          <IconButton size="small" label={t.addNode} onClick={() => editing.onAdd({ parentId: 0 })}>
            <Plus />
          </IconButton>
          {plan.activeRunId === undefined ? (
            <Button size="small" onClick={() => setSearch({ form: 'execute' })}>
              <Play aria-hidden />
              {t.execute}
            </Button>
          ) : (
            <StopButton runId={plan.activeRunId} />
          )}
        </div>
      </div>
      <RunStrip plan={plan} onGoTo={select} />
      <div className="min-h-0 flex-1">
        {node ? (
          <div className="h-full overflow-y-auto">
            <div className="px-2 pt-2">
              <Button size="small" variant="ghost" onClick={() => select(undefined)}>
                <ArrowLeft aria-hidden />
                {words.allNodes}
              </Button>
            </div>
            <NodePanel
              planId={plan.id}
              nodeId={node.id}
              tree={tree}
              version={plan.version}
              actions={editing.actions}
              deeds={editing.deeds}
              onGoTo={select}
            />
          </div>
        ) : tree.nodes.length === 0 && !editing.draft ? (
          <Empty>
            <p className="text-sm">{t.noNodes}</p>
          </Empty>
        ) : (
          <NodeTree isCompact label={t.nodesOf(plan.title)} tree={tree} {...editing} onSelect={select} />
        )}
      </div>
      {editing.actions.dialog}
      {search.form === 'execute' && (
        <ExecuteForm tree={tree} deeds={editing.deeds} onClose={() => setSearch({ form: undefined })} />
      )}
    </div>
  )
}
