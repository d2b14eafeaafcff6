import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { SessionView } from '../session/session-view.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { LatestChange } from './latest-change.tsx'
import { workflowTexts } from './texts.ts'

/** The session that edits the workflow, made when it is opened for the first time. */
export function ChatTab({ workflow }: { workflow: Workflow }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const { id, managementSessionId } = workflow
  const { data, error, refetch } = useQuery({
    queryKey: [...workflowKeys.workflow(id), 'chat'],
    queryFn: () => client.workflows.managementSession(id, { scope }),
    staleTime: Infinity,
  })
  const isNew = data !== undefined && data.id !== managementSessionId
  useEffect(() => {
    if (isNew) void queries.invalidateQueries({ queryKey: workflowKeys.workflow(id), exact: true })
  }, [isNew, queries, id])
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
  return (
    <div className="flex h-full min-h-0 flex-col">
      <p className="border-b border-line bg-surface px-4 py-1.5 text-center text-sm text-muted">
        {t.chatHint}
      </p>
      <LatestChange workflow={workflow} sessionId={data.id} />
      <div className="min-h-0 flex-1">
        <SessionView key={data.id} sessionId={data.id} isEmbedded />
      </div>
    </div>
  )
}
