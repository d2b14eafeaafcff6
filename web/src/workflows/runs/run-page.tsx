import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ParleyError } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { workflowRunQuery } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { DeadEnd } from '../../shell/not-found.tsx'
import { useTexts } from '../../shell/texts.ts'
import { Failure, Loading } from '../../ui/states.tsx'
import { runTexts } from '../texts.ts'
import { RunView } from './run-view.tsx'

export function Page() {
  const { runId } = useParams({ strict: false })
  return runId === undefined ? null : <Opened key={runId} id={runId} />
}

function Opened({ id }: { id: string }) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery(workflowRunQuery(client, id, scope))
  if (data) return <RunView run={data} />
  if (error instanceof ParleyError && error.code === 'not_found')
    return <DeadEnd title={t.missing} text={t.missingText} />
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
}
