import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import type { ReactNode } from 'react'
import { useClient } from '../../api/api.tsx'
import { sessionQuery } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { ResultGrade } from '../../session/result-grade.tsx'
import { sessionTexts } from '../../session/texts.ts'
import { StatusTag } from '../../session/status-tag.tsx'

interface Props {
  taskId?: string
  label?: string
  /** What was known when this was said; the task itself knows better. */
  status?: string
  /** Stands at the end of the line. */
  children?: ReactNode
}

/** A task as it stands now, and the way to it. */
export function TaskLine({ taskId, label, status = 'unknown', children }: Props) {
  const t = useTexts(sessionTexts)
  const { data: session } = useTask(taskId)
  const name = session?.title || session?.bgMeta?.label || label || t.task
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 px-3 py-2 text-sm">
      <Bot aria-hidden className="size-4 shrink-0 text-muted" />
      {taskId === undefined ? (
        <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
      ) : (
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: taskId }}
          search={((before: object) => ({ ...before, message: undefined })) as never}
          className="min-w-0 flex-1 truncate font-medium text-accent hover:underline"
        >
          <bdi>{name}</bdi>
        </Link>
      )}
      <StatusTag status={session?.bgStatus ?? status} isDegraded={session?.bgDegraded} />
      {session?.bgResultSource && (
        <ResultGrade source={session.bgResultSource} isDegraded={session.bgDegraded} />
      )}
      {children}
    </div>
  )
}

/** Asked again when something happens to the task. */
function useTask(taskId: string | undefined) {
  const client = useClient()
  const scope = useScope()
  return useQuery(sessionQuery(client, taskId, scope))
}
