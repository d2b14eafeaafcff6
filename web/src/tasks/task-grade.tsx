import { useTexts } from '../shell/texts.ts'
import { taskTexts } from './texts.ts'
import type { Task } from './task-tree.ts'
import { useTaskResult } from './use-task-result.ts'

/** The result, or why there is none; a degraded one says so before anything else. */
export function TaskGrade({ task }: { task: Task }) {
  const t = useTexts(taskTexts)
  const result = useTaskResult(task)
  const source = task.bgResultSource ?? 'none'
  const ended = task.bgStatus === 'completed' ? undefined : task.bgStatus
  const isGraded = task.bgDegraded || source === 'reminded'
  const reason =
    ended === 'timeout' || ended === 'cancelled' || ended === 'interrupted'
      ? t.reasons[ended]
      : (result?.error ?? (isGraded ? t.reasons[source] : undefined))
  return (
    <>
      {reason && (
        <p className={`text-xs ${ended === undefined ? 'text-warning' : 'text-muted'}`}>
          <bdi>{reason}</bdi>
        </p>
      )}
      {task.bgResult && (
        <p className="line-clamp-2 pb-0.5 text-xs text-muted">
          <bdi>{task.bgResult}</bdi>
        </p>
      )}
    </>
  )
}
