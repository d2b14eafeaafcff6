import { useQuery } from '@tanstack/react-query'
import type { RunPage } from '../../../src/core/chat/run-operations.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { contextKeys, promptQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'
import type { Call } from './call.ts'
import type { Prompt } from './prompt-pieces.ts'

const maxRuns = 200
// while a turn goes on, steps are added to it
const growingMs = 2_000

/** The turns of a session that have begun, newest first. */
export function useRuns(sessionId: string): { data?: RunPage; error: unknown; refetch(): void } {
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery({
    queryKey: sessionKeys.runs(sessionId),
    queryFn: async () => {
      const page = await client.runs.list({ scope, session: sessionId, limit: maxRuns })
      return { ...page, items: page.items.filter(({ startedAt }) => startedAt !== undefined) }
    },
  })
  return { data, error, refetch: () => void refetch() }
}

export interface FoundCall {
  status: 'loading' | 'failed' | 'empty' | 'ready'
  error?: unknown
  retry(): void
  prompt?: Prompt
  /** Of the run. */
  steps: number
  step?: number
}

/** The prompt of a call, whole. */
export function useCall(sessionId: string, call: Call | undefined, isOver = true): FoundCall {
  const client = useClient()
  const scope = useScope()
  const { run, step: wanted } = call ?? {}
  const next = useQuery({
    ...promptQuery(client, sessionId, scope),
    enabled: call !== undefined && run === undefined,
  })
  const records = useQuery({
    queryKey: contextKeys.runPrompt(run ?? ''),
    queryFn: () => client.runs.prompt(run!, { scope }),
    enabled: run !== undefined,
    refetchInterval: isOver ? false : growingMs,
  })
  const steps = records.data?.steps.length ?? 0
  const step = Math.min(wanted ?? steps, steps)
  const sent = useQuery({
    queryKey: contextKeys.step(run ?? '', step),
    queryFn: () => client.runs.step(run!, step, { scope }),
    enabled: run !== undefined && step > 0,
  })
  const asked = run === undefined ? [next] : [records, sent]
  const retry = () => asked.forEach((query) => void query.refetch())
  const error = asked.find((query) => query.error)?.error
  if (error) return { status: 'failed', error, retry, steps, step }
  if (run !== undefined && records.data && steps === 0) return { status: 'empty', retry, steps }
  const prompt = run === undefined ? next.data : sent.data
  if (!prompt) return { status: 'loading', retry, steps, step }
  return { status: 'ready', prompt, retry, steps, step: run === undefined ? undefined : step }
}
