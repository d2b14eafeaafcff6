import type { RunEngine } from '../runs/run-engine.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { ChatRuns } from './chat-runs.ts'
import type { PromptInspection } from './turn-run-kind.ts'

/** The conversations of one Parley, for its edges: takes inputs in, lets their turns be watched, stopped and looked into. */
export interface Chats extends ChatRuns, PromptInspection {
  close(graceMs: number): Promise<void>
}

const memoGraceMs = 2_000

export function createChats({
  engine,
  runs,
  prompts,
  windows,
}: {
  engine: RunEngine
  runs: ChatRuns
  prompts: PromptInspection
  windows: Windows
}): Chats {
  const { admit, observe, answerOf, answerOrCalls, stopSession, stopRun, adopt, kinds, types } = runs
  return {
    admit,
    observe,
    get observerCount() {
      return runs.observerCount
    },
    answerOf,
    answerOrCalls,
    stopSession,
    stopRun,
    adopt,
    kinds,
    types,
    ...prompts,
    async close(graceMs) {
      await engine.close(graceMs)
      // a memo that is not finished is made at the next turn
      await windows.stop(Math.min(graceMs, memoGraceMs))
    },
  }
}
