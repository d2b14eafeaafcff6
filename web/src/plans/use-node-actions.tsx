import { useState, type ReactNode } from 'react'
import type { PlaceWish, TreeNode } from '../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../shell/texts.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { isPossible, isStep, nodeActions, openDependencies, type NodeActionName } from './node-actions.ts'
import { NodeDialog, type DialogKind } from './node-dialog.tsx'
import { nodeTexts } from './texts.ts'
import { childrenOf, type Tree } from './plan-tree.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

export interface NodeActions {
  /** For a menu: what is not possible now is left out, or cannot be chosen where it would be missed. */
  itemsOf(node: TreeNode): MenuItem[]
  can(node: TreeNode, name: NodeActionName): boolean
  perform(node: TreeNode, name: NodeActionName): void
  /** Asks before some of them; has to be drawn somewhere. */
  dialog: ReactNode
}

interface Options {
  tree: Tree
  deeds: PlanDeeds
  onRename(id: number): void
  onAdd(place: PlaceWish): void
  /** After it is at another place. */
  onMoved?(id: number): void
}

export function useNodeActions({ tree, deeds, onRename, onAdd, onMoved }: Options): NodeActions {
  const t = useTexts(nodeTexts)
  const [asked, setAsked] = useState<{ kind: DialogKind; node: TreeNode }>()
  const ask = (kind: DialogKind, node: TreeNode) => setAsked({ kind, node })
  const can = (node: TreeNode, name: NodeActionName) => isPossible(tree, node, name)

  const perform = (node: TreeNode, name: NodeActionName) => {
    if (!isStep(name) && !can(node, name)) return
    const isParent = childrenOf(tree, node.id).length > 0
    if (isStep(name)) return void deeds.step(node.id, name).then(() => onMoved?.(node.id))
    switch (name) {
      case 'run':
        if (openDependencies(tree, node).length > 0) return ask('wait', node)
        return void deeds.runNode(node.id, { subtree: isParent })
      case 'rerun':
        return isParent ? ask('rerun', node) : void deeds.runNode(node.id, { rerun: true })
      case 'stop':
        return void deeds.stop(node.id)
      case 'accept':
        return void deeds.accept(node.id)
      case 'rename':
        return onRename(node.id)
      case 'addInside':
        return onAdd({ parentId: node.id, position: 'last_child' })
      case 'addAfter':
        return onAdd({ after: node.id })
      default:
        return ask(name, node)
    }
  }

  const itemsOf = (node: TreeNode): MenuItem[] =>
    nodeActions
      .filter(({ name }) => can(node, name) || isStep(name))
      .map((action) => ({
        ...action,
        label: t.actions[action.name],
        isDisabled: !can(node, action.name),
        perform: () => perform(node, action.name),
      }))

  return {
    can,
    perform,
    itemsOf,
    dialog: asked && (
      <NodeDialog
        kind={asked.kind}
        node={tree.byId.get(asked.node.id) ?? asked.node}
        tree={tree}
        deeds={deeds}
        onClose={() => setAsked(undefined)}
      />
    ),
  }
}
