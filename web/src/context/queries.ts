import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
/** Names of what is asked of a session's prompt and window; they become stale with the session. */
export const contextKeys = {
  prompt: (id: string) => ['session', id, 'prompt'] as const,
  window: (id: string) => ['session', id, 'window'] as const,
  memo: (id: string) => ['session', id, 'memo'] as const,
  memoVersions: (id: string) => ['session', id, 'memo', 'versions'] as const,
  // what a call was sent does not change any more
  runPrompt: (runId: string) => ['run', runId, 'prompt'] as const,
  step: (runId: string, step: number) => ['run', runId, 'prompt', step] as const,
}

type Scope = string | undefined

export const promptQuery = ({ sessions }: Pick<ParleyClient, 'sessions'>, id: string, scope: Scope) =>
  queryOptions({ queryKey: contextKeys.prompt(id), queryFn: () => sessions.prompt(id, { scope }) })

export const windowQuery = ({ sessions }: Pick<ParleyClient, 'sessions'>, id: string, scope: Scope) =>
  queryOptions({ queryKey: contextKeys.window(id), queryFn: () => sessions.window(id, { scope }) })

export const memoQuery = ({ sessions }: Pick<ParleyClient, 'sessions'>, id: string, scope: Scope) =>
  queryOptions({ queryKey: contextKeys.memo(id), queryFn: () => sessions.memo(id, { scope }) })
