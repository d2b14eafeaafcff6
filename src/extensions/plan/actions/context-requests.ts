import { z } from 'zod'
import { notFound } from '../../../core/protocol/error.ts'
import { cut } from '../../../core/shared/text.ts'
import { oneLine, lineOf } from '../outline.ts'
import { defineStored, looseNumber, requirePlanId, taskIdSchema, type ActionType } from './action.ts'

const maxShown = 200
const maxWords = 2_000
const maxAll = 40_000

const requestSubgraph = defineStored({
  kind: 'context_request',
  name: 'request_subgraph',
  description:
    'task_id, max_depth? (default 2): shows you a task with all below it, with instructions and results; alone in its reply, you are asked again with the answer',
  parameters: z
    .strictObject({
      task_id: taskIdSchema.optional(),
      logical_id: taskIdSchema.optional(),
      max_depth: looseNumber.optional(),
    })
    .refine(({ task_id: id, logical_id: logical }) => (id ?? logical) !== undefined, {
      message: 'must be given',
      path: ['task_id'],
    }),
  needsPlan: true,
  effect: 'read',
  isReported: true,
  async perform(scene, { task_id: id, logical_id: logical, max_depth: wanted = 2 }) {
    const planId = requirePlanId(scene)
    const rootId = (id ?? logical)!
    const nodes = await scene.tx.listSubtree(planId, rootId)
    const [root] = nodes
    if (!root) throw notFound('task', String(rootId))
    const maxDepth = Math.min(10, Math.max(0, wanted))
    const depths = new Map([[rootId, 0]])
    for (const node of nodes)
      if (node.id !== rootId) depths.set(node.id, (depths.get(node.parentId) ?? 0) + 1)
    const shown = nodes.filter((node) => depths.get(node.id)! <= maxDepth)
    // of a few, more can be shown
    const words = Math.max(maxWords, Math.floor(maxAll / shown.length))
    const lines = shown.slice(0, maxShown).flatMap((node) => {
      const indent = '  '.repeat(depths.get(node.id)! + 1)
      return [
        lineOf({ ...node, instruction: '', stale: node.result?.stale }, depths.get(node.id)!),
        node.instruction && `${indent}instruction: ${shorten(node.instruction)}`,
        node.reason && `${indent}reason: ${shorten(node.reason)}`,
        node.result && `${indent}result: ${cut(oneLine(node.result.output), words)}`,
        node.result?.evidence?.files.length &&
          `${indent}changed: ${shorten(node.result.evidence.files.join(', '))}`,
      ].filter(Boolean)
    })
    const left = nodes.length - Math.min(shown.length, maxShown)
    if (left > 0) lines.push(`... ${left} of ${nodes.length} are not shown ...`)
    return { message: `Task ${rootId} with ${nodes.length - 1} below it.`, result: lines.join('\n') }
  },
})

const shorten = (text: string) => cut(oneLine(text), maxWords)

export const contextRequests: readonly ActionType[] = [requestSubgraph]
