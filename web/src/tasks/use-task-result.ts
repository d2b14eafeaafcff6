import { useQuery } from '@tanstack/react-query'
import type { TaskResult } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { isOver, type Task } from './task-tree.ts'

/** What became of a task; undefined until it is over. */
export function useTaskResult(task: Task): TaskResult | undefined {
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: sessionKeys.result(task.id),
    queryFn: () => client.sessions.result(task.id, { scope }),
    enabled: isOver(task),
    retry: false,
    // what is over stays as it is; an event of the session asks again
    staleTime: Infinity,
  })
  return data
}
