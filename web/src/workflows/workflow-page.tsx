import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ParleyError } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { workflowQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { DeadEnd } from '../shell/not-found.tsx'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { WorkflowView } from './workflow-view.tsx'
import { workflowTexts } from './texts.ts'

export function Page() {
  const { workflowId } = useParams({ strict: false })
  return workflowId === undefined ? null : <Opened key={workflowId} id={workflowId} />
}

function Opened({ id }: { id: string }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery(workflowQuery(client, id, scope))
  if (data) return <WorkflowView workflow={data} />
  if (error instanceof ParleyError && error.code === 'not_found')
    return <DeadEnd title={t.missing} text={t.missingText} />
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
}
