import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { needsReminder, unsubmitted } from '../../core/tasks/require-result.ts'

/** A node that stops without a result is reminded that its status counts. */
export function remindNode(run: Run, parts: readonly Part[]): string | undefined {
  const { plan, task } = run.input as TurnInput
  if (plan === undefined || task?.outputSchema || !needsReminder(run, parts)) return undefined
  return `${unsubmitted} your result and its status: "success", "partial", "failed", or "refused" when you will not do it.`
}
