import type { ChatAnswer } from '../protocol/chat.ts'

/** Exit codes of commands that follow a run of many steps. */
export const runExitCodes = {
  completed: 0,
  pending: 0,
  running: 0,
  failed: 1,
  interrupted: 1,
  paused: 6,
  timeout: 7,
  cancelled: 130,
} as const

/**
 * 0 done, 5 the model failed, 6 it could not do all it wanted since nobody could be asked, 7 a limit ended the turn, 130 it
 * was stopped, 1 anything else.
 */
export function exitCodeOf(answer: ChatAnswer): number {
  const { run } = answer
  const { code } = (run.outcome ?? {}) as { code?: string }
  if (run.status === 'completed') return refusedIn(answer).length > 0 ? 6 : 0
  if (run.status === 'cancelled') return 130
  if (
    code?.startsWith('model_') ||
    code === 'empty_answer' ||
    code === 'content_filter' ||
    code === 'agents_failed'
  )
    return 5
  return ['step_limit', 'budget_exhausted', 'tool_loop'].includes(code ?? '') ? 7 : 1
}

/** The tools whose calls were not made because nobody was there to approve them. */
export function refusedIn({ run }: ChatAnswer): string[] {
  const { denied = [] } = (run.outcome ?? {}) as { denied?: { toolName: string; by: string }[] }
  return denied.filter(({ by }) => by === 'headless').map(({ toolName }) => toolName)
}
