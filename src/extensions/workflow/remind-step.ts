import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { needsReminder } from '../../core/tasks/require-result.ts'

/** A step that stops without a result is reminded of who waits for it. */
export function remindStep(run: Run, parts: readonly Part[]): string | undefined {
  if ((run.input as TurnInput).actor?.source !== 'workflow' || !needsReminder(run, parts)) return undefined
  return 'You have not called set_result. The next step of the workflow gets nothing but what you submit there. Call set_result now with your result.'
}
