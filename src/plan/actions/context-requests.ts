import { z } from 'zod'
import { notFound } from '../../protocol/error.ts'
import { cut } from '../../shared/cut.ts'
import { oneLine } from '../one-line.ts'
import { lineOf } from '../outline.ts'
import { defineStored, looseNumber, requirePlanId, taskIdSchema, type ActionType } from './action.ts'

const maxShown = 200
const maxWords = 2_000

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
  isTold: true,
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
    const lines = shown.slice(0, maxShown).flatMap((node) => {
      const indent = '  '.repeat(depths.get(node.id)! + 1)
      return [
        lineOf({ ...node, instruction: '' }, depths.get(node.id)!),
        node.instruction && `${indent}instruction: ${shorten(node.instruction)}`,
        node.reason && `${indent}reason: ${shorten(node.reason)}`,
        node.result && `${indent}result: ${shorten(node.result.output)}`,
      ].filter(Boolean)
    })
    if (shown.length > maxShown) lines.push(`... ${shown.length - maxShown} more ...`)
    return { message: `Task ${rootId} with ${nodes.length - 1} below it.`, result: lines.join('\n') }
  },
})

const shorten = (text: string) => cut(oneLine(text), maxWords)

export const contextRequests: readonly ActionType[] = [requestSubgraph]
