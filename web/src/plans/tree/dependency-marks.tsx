import { clsx } from 'clsx'
import { Link2 } from 'lucide-react'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { nodeTexts } from '../texts.ts'
import { isDone, type Tree } from '../plan-tree.ts'

interface Props {
  node: TreeNode
  tree: Tree
  tabIndex: number
  onGoTo(id: number): void
}

// what fits beside a name; all of them are in the detail
const mostShown = 3

/** What a node waits for, as small links. */
export function DependencyMarks({ node, tree, tabIndex, onGoTo }: Props) {
  const t = useTexts(nodeTexts)
  const shown = node.dependencies.slice(0, mostShown)
  if (shown.length === 0) return null
  return (
    <span className="flex shrink-0 items-center text-xs text-muted">
      <Link2 aria-hidden className="size-3.5" />
      {shown.map((id) => {
        const dependency = tree.byId.get(id)
        return (
          <button
            key={id}
            type="button"
            tabIndex={tabIndex}
            aria-label={t.waitsFor(id, dependency?.name)}
            title={t.waitsFor(id, dependency?.name)}
            onClick={(event) => {
              event.stopPropagation()
              onGoTo(id)
            }}
            onDoubleClick={(event) => event.stopPropagation()}
            className={clsx(
              'min-h-6 min-w-6 rounded px-0.5 hover:text-text hover:underline',
              dependency && isDone(dependency) && 'line-through decoration-muted',
            )}
          >
            #{id}
          </button>
        )
      })}
      {node.dependencies.length > mostShown && <span>+{node.dependencies.length - mostShown}</span>}
    </span>
  )
}
