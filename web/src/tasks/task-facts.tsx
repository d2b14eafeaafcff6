import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useClient } from '../api/api.tsx'
import { sessionUsageQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { taskTexts } from './texts.ts'
import { formatElapsed, isOver, type Task } from './task-tree.ts'
import { useTaskResult } from './use-task-result.ts'

/** Ticks while it runs; then as long as the run took. */
export function TaskTime({ task }: { task: Task }) {
  const t = useTexts(taskTexts)
  const isOverNow = isOver(task)
  const result = useTaskResult(task)
  const now = useNow(!isOverNow)
  const begun = new Date(task.createdAt).getTime()
  const ms = isOverNow ? (result?.durationMs ?? new Date(task.updatedAt).getTime() - begun) : now - begun
  return (
    <span className="shrink-0 tabular-nums" title={t.elapsed}>
      {formatElapsed(ms)}
    </span>
  )
}

/** Of all its model calls so far. */
export function TaskTokens({ taskId }: { taskId: string }) {
  const t = useTexts(taskTexts)
  const language = useLanguage()
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    ...sessionUsageQuery(client, taskId, scope),
    retry: false,
  })
  if (!data || data.calls === 0) return null
  const count = new Intl.NumberFormat(localeOf(language), { notation: 'compact' }).format(
    data.inputTokens + data.outputTokens,
  )
  return <span className="shrink-0 tabular-nums">{t.tokens(count)}</span>
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isTicking])
  return now
}
