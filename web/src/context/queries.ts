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
