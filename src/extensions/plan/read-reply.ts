import { z } from 'zod'
import { ParleyError } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { requireCleanJson } from '../../core/protocol/json.ts'
import { actionKinds, retryPolicySchema } from './protocol/plan-run.ts'
import { cut } from '../../core/shared/text.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import { findReplyObject } from './reply-object.ts'

const maxActions = 50
const maxReply = 1_000_000
// it goes back to the model, and into the log
const maxProblem = 1_900

export const actionSchema = z.strictObject({
  kind: z.enum(actionKinds),
  name: z.string().min(1).max(100),
  parameters: z.record(z.string(), z.unknown()).default({}),
  blocking: z.boolean().default(true),
  order: z.int().min(1).max(10_000).default(1),
  retry_policy: retryPolicySchema.nullish(),
  metadata: z.record(z.string(), z.unknown()).default({}),
})
export type Action = z.infer<typeof actionSchema>

/** What the model of a session that is bound to a plan answers with: words for the person, and what is to be done. */
export const replySchema = z.strictObject({
  llm_reply: z.strictObject({ message: z.string().min(1).max(200_000) }),
  actions: z.array(actionSchema).max(maxActions).default([]),
})
export type Reply = z.infer<typeof replySchema>

/** A problem is returned to the model, which may answer again. */
export type ReadReply = { reply: Reply } | { problem: string }

/**
 * Reads an answer with fences and words around it, and with unambiguous mistakes. What may be left
 * out may be null, and an order may be its digits as a text. Never throws.
 */
export function readReply(text: string): ReadReply {
  if (text.length > maxReply) return { problem: `The answer has more than ${maxReply} characters.` }
  const found = findReplyObject(text)
  const read = 'problem' in found ? found : checkReply(found.object)
  return 'problem' in read ? { problem: cut(read.problem, maxProblem).toWellFormed() } : read
}

function checkReply(object: Record<string, unknown>): ReadReply {
  const problem = findUnkept(object)
  if (problem !== undefined) return { problem }
  // counted before they are validated: a hundred thousand invalid ones would be as many messages
  if (Array.isArray(object.actions) && object.actions.length > maxActions)
    return { problem: `The answer has ${object.actions.length} actions; at most ${maxActions} are done.` }
  const value = withDefaults(object)
  const result = replySchema.safeParse(value)
  if (!result.success) return { problem: describeIssues(result.error, value) }
  const { actions, ...rest } = result.data
  // those of the same order stay as they were written
  return { reply: { ...rest, actions: actions.toSorted((a, b) => a.order - b.order) } }
}

/** What no database can store. */
export function findUnkept(object: unknown): string | undefined {
  try {
    requireCleanJson(object)
    return undefined
  } catch (error) {
    if (error instanceof ParleyError) return error.message
    throw error
  }
}

function withDefaults({ actions, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(actions)) return actions == null ? rest : { ...rest, actions }
  return {
    ...rest,
    actions: actions.map((action) => (isObject(action) ? withActionDefaults(action) : action)),
  }
}

const optional = ['parameters', 'blocking', 'order', 'metadata']

function withActionDefaults(action: Record<string, unknown>): Record<string, unknown> {
  const { order, ...rest } = Object.fromEntries(
    Object.entries(action).filter(([name, value]) => value !== null || !optional.includes(name)),
  )
  if (order === undefined) return rest
  return { ...rest, order: typeof order === 'string' && /^\d{1,5}$/.test(order) ? Number(order) : order }
}
