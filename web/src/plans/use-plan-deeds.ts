import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { PlanTree, UpdatePlan } from '../../../src/extensions/plan/protocol/plan.ts'
import type { DecomposePlan, ExecutePlan, RunNode } from '../../../src/extensions/plan/protocol/plan-run.ts'
import type {
  CreateNode,
  PlaceWish,
  SkipNode,
  TreeNode,
  UpdateNode,
} from '../../../src/extensions/plan/protocol/plan-node.ts'
import { useClient } from '../api/api.tsx'
import { planKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useToast } from '../ui/toast.tsx'
import { changeNode, conflictOf } from './conflict.ts'
import { movedNodes, placeOfStep, toTree, type MoveStep } from './plan-tree.ts'
import { planTexts } from './texts.ts'

/** What became of a change that somebody wrote: when others changed the same, it is not saved and nothing is lost. */
export type Saved = 'saved' | 'conflict' | 'refused'

type Fields = Omit<UpdateNode, 'scope' | 'baseVersion'>

export type PlanDeeds = ReturnType<typeof usePlanDeeds>

/**
 * All that can be done to a plan from here, one after the other. What the server refuses is said, and what is shown goes
 * back to what is stored.
 */
export function usePlanDeeds(planId: string) {
  const t = useTexts(planTexts)
  const { plans } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const treeKey = planKeys.tree(planId)
  const queue = useRef({ last: Promise.resolve<unknown>(undefined), waiting: 0 })
  /** What the changes on their way make of the nodes; an answer from before them may be shown meanwhile. */
  const wanted = useRef<readonly TreeNode[]>(undefined)

  const tell = (error: unknown) =>
    toast({
      title: conflictOf(error) ? t.conflict : t.notDone,
      description: error instanceof Error ? error.message : String(error),
      isProblem: true,
    })
  const refresh = () => queries.invalidateQueries({ queryKey: ['plan', planId] })
  const change = (update: (was: PlanTree) => PlanTree) =>
    queries.setQueryData<PlanTree>(treeKey, (was) => was && update(was))
  const shownVersion = () => queries.getQueryData<PlanTree>(treeKey)?.plan.version
  /** The next change goes by what this one made, though it is not read again yet. */
  const keepVersion = (version: number) => change((was) => ({ ...was, plan: { ...was.plan, version } }))
  /** Before something is shown that the server does not know yet: an answer on its way would take it back. */
  const showAtOnce = (update: (was: PlanTree) => PlanTree) => {
    void queries.cancelQueries({ queryKey: treeKey })
    change(update)
  }

  /** Undefined when it was refused. */
  const attempt = <Answer>(deed: () => Promise<Answer>): Promise<Answer | undefined> => {
    const { current } = queue
    current.waiting++
    const done = current.last.then(async () => {
      try {
        return await deed()
      } catch (error) {
        wanted.current = undefined
        tell(error)
        return undefined
      } finally {
        current.waiting--
        if (current.waiting === 0) await refresh()
        if (current.waiting === 0) wanted.current = undefined
      }
    })
    current.last = done
    return done
  }

  const update = async (nodeId: number, fields: Fields, baseVersion = shownVersion()): Promise<Saved> => {
    try {
      const { version } = await changeNode(nodeId, baseVersion, (base) =>
        plans.updateNode(planId, nodeId, { scope, ...fields, baseVersion: base }),
      )
      keepVersion(version)
      return 'saved'
    } catch (error) {
      if (conflictOf(error)) return 'conflict'
      tell(error)
      return 'refused'
    } finally {
      await refresh()
    }
  }

  const presentNodes = () => wanted.current ?? queries.getQueryData<PlanTree>(treeKey)?.nodes ?? []
  const move = (nodeId: number, place: PlaceWish) => {
    const nodes = [...movedNodes(presentNodes(), nodeId, place)]
    wanted.current = nodes
    showAtOnce((was) => ({ ...was, nodes }))
    return attempt(async () => {
      const { version } = await plans.moveNode(planId, nodeId, {
        scope,
        ...place,
        baseVersion: shownVersion(),
      })
      keepVersion(version)
      return true
    })
  }

  return {
    /** Without a word when others changed the same: whoever wrote it decides. */
    update,
    change: (wish: UpdatePlan) => attempt(() => plans.update(planId, { scope, ...wish })),
    rename(nodeId: number, name: string) {
      showAtOnce((was) => ({
        ...was,
        nodes: was.nodes.map((node) => (node.id === nodeId ? { ...node, name } : node)),
      }))
      return attempt(async () => {
        const { version } = await changeNode(nodeId, shownVersion(), (baseVersion) =>
          plans.updateNode(planId, nodeId, { scope, name, baseVersion }),
        )
        keepVersion(version)
      })
    },
    add: (wish: Omit<CreateNode, 'scope'>) =>
      attempt(async () => {
        const { version, node } = await plans.addNode(planId, { scope, ...wish })
        keepVersion(version)
        return node.id
      }),
    /** From where it is now: keys come faster than a page is drawn. */
    step(nodeId: number, step: MoveStep) {
      const place = placeOfStep(toTree(presentNodes()), nodeId, step)
      return place ? move(nodeId, place) : Promise.resolve(undefined)
    },
    move,
    remove: (nodeId: number) =>
      attempt(async () => {
        const { version } = await plans.deleteNode(planId, nodeId, { scope, baseVersion: shownVersion() })
        toast({
          title: t.nodeDeleted,
          action: {
            label: t.undo,
            perform: () => void attempt(() => plans.undo(planId, { scope, version })),
          },
        })
        return true
      }),
    undo: (version?: number) =>
      attempt(async () => {
        await plans.undo(planId, { scope, version })
        return true
      }),
    importMarkdown: (markdown: string, parentId: number) =>
      plans.importMarkdown(planId, { scope, markdown, parentId }).finally(refresh),
    skip: (nodeId: number, wish: SkipNode) =>
      attempt(() => plans.skipNode(planId, nodeId, { scope, ...wish })),
    reset: (nodeId: number) => attempt(() => plans.resetNode(planId, nodeId, { scope })),
    accept: (nodeId: number) => attempt(() => plans.acceptNode(planId, nodeId, { scope })),
    stop: (nodeId: number) => attempt(() => plans.stopNode(planId, nodeId, { scope })),
    message: (nodeId: number, content: string) =>
      attempt(() => plans.messageNode(planId, nodeId, { scope, content })),
    done: (nodeId: number, note: string) => attempt(() => plans.doneNode(planId, nodeId, { scope, note })),
    runNode: (nodeId: number, wish: RunNode = {}) =>
      attempt(() => plans.runNode(planId, nodeId, { scope, ...wish })),
    execute: (wish: ExecutePlan) => plans.execute(planId, { scope, ...wish }).finally(refresh),
    decompose: (wish: DecomposePlan) => plans.decompose(planId, { scope, ...wish }).finally(refresh),
  }
}
