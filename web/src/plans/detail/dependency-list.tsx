import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import type { PlanNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useAfterCommit } from '../../ui/use-after-commit.ts'
import { nodeTexts, planTexts } from '../texts.ts'
import { ancestorsOf, type Tree } from '../plan-tree.ts'
import { StatusMark } from '../status-mark.tsx'
import type { PlanDeeds } from '../use-plan-deeds.ts'
import { NodePicker } from './node-picker.tsx'

interface Props {
  node: PlanNode
  tree: Tree
  deeds: PlanDeeds
  onGoTo(id: number): void
}

/** What a node waits for: each leads there, can be taken away, and others can be picked. */
export function DependencyList({ node, tree, deeds, onGoTo }: Props) {
  const t = useTexts(nodeTexts)
  const { conflict } = useTexts(planTexts)
  const toast = useToast()
  const [isPicking, setPicking] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  const afterCommit = useAfterCommit()
  const close = () => {
    setPicking(false)
    afterCommit(() => add.current?.focus())
  }
  const set = async (dependencies: number[]) => {
    if ((await deeds.update(node.id, { dependencies })) === 'conflict')
      toast({ title: conflict, isProblem: true })
  }
  return (
    <div className="flex flex-col gap-1">
      {node.dependencies.length === 0 && !isPicking && <p className="text-muted">{t.noDependencies}</p>}
      {node.dependencies.length > 0 && (
        <ul aria-label={t.dependencies} className="flex flex-col">
          {node.dependencies.map((id) => {
            const dependency = tree.byId.get(id)
            const name = dependency?.name ?? `#${id}`
            return (
              <li key={id} className="flex items-center gap-1.5">
                {dependency && <StatusMark status={dependency.status} />}
                <button
                  type="button"
                  onClick={() => onGoTo(id)}
                  className="min-h-6 min-w-0 flex-1 truncate rounded text-start text-accent underline underline-offset-2 hover:text-accent-strong"
                >
                  <bdi>{name}</bdi>
                </button>
                <span className="text-xs text-muted">#{id}</span>
                <IconButton
                  size="small"
                  label={t.removeDependency(name)}
                  onClick={() => void set(node.dependencies.filter((other) => other !== id))}
                >
                  <X />
                </IconButton>
              </li>
            )
          })}
        </ul>
      )}
      {isPicking ? (
        <NodePicker
          label={t.addDependency}
          nodes={tree.nodes}
          // the server refuses circles; these would be one in any case
          excluded={new Set([node.id, ...ancestorsOf(tree, node.id), ...node.dependencies])}
          onPick={(id) => {
            close()
            void set([...node.dependencies, id])
          }}
          onClose={close}
        />
      ) : (
        <Button
          ref={add}
          size="small"
          variant="ghost"
          className="self-start"
          onClick={() => setPicking(true)}
        >
          <Plus aria-hidden />
          {t.addDependency}
        </Button>
      )}
    </div>
  )
}
