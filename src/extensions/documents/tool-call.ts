import { createHash } from 'node:crypto'
import { z } from 'zod'
import { idSchema } from '../../core/protocol/names.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import { shownAs } from '../../core/tools/tool-schemas.ts'
import type { DocumentCaller } from './document-caller.ts'
import { folderSchema } from './protocol/document.ts'

export const callerOf = ({ scope, sessionId }: ToolContext): DocumentCaller & { sessionId: string } => ({
  scope,
  sessionId,
  actor: { type: 'agent', id: sessionId },
})

/** The effect of a call and its answer are stored together: a call that is made again after a crash does nothing new. */
export function oncePerCall<Answer>(
  store: StoreOperations,
  { scope, runId, toolCallId }: ToolContext,
  work: (tx: StoreOperations) => Promise<Answer>,
): Promise<Answer> {
  return store.transaction(async (tx) => {
    const key = `tool:${runId}:${toolCallId}`
    const earlier = await tx.reserveIdempotencyKey(scope, key, 'document')
    if (earlier !== undefined) return earlier as Answer
    const answer = await work(tx)
    await tx.saveIdempotentAnswer(scope, key, answer ?? null)
    return answer
  })
}

/** The id of what a call makes is known before, so that it can be kept that it was not there. */
export const idOfCall = (prefix: string, { runId, toolCallId }: ToolContext): string =>
  `${prefix}_${createHash('sha256').update(`${runId} ${toolCallId}`).digest('hex').slice(0, 26)}`

export const idInput = shownAs(z.string(), idSchema)
export const folderInput = shownAs(z.string(), folderSchema)

/** A field that an action cannot do without. */
export function required<Input extends { action: string }, Key extends keyof Input & string>(
  input: Input,
  field: Key,
): NonNullable<Input[Key]> {
  const value = input[field]
  if (value === undefined || value === null) throw new Error(`"${input.action}" needs "${field}".`)
  return value
}
