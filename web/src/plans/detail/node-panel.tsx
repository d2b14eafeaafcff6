import { useQuery } from '@tanstack/react-query'
import { ParleyError } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { nodeQuery } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { nodeTexts } from '../texts.ts'
import { NodeDetail, type NodeDetailProps } from './node-detail.tsx'

interface Props extends Omit<NodeDetailProps, 'node'> {
  nodeId: number
}

/** All that is known of one node. */
export function NodePanel({ nodeId, ...rest }: Props) {
  const { planId } = rest
  const t = useTexts(nodeTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery({
    ...nodeQuery(client, planId, nodeId, scope),
    staleTime: 0,
  })
  const isGone = error instanceof ParleyError && error.code === 'not_found'
  if (isGone)
    return (
      <Empty>
        <p>{t.missing(nodeId)}</p>
      </Empty>
    )
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
  // how it stands is known sooner in the tree
  const { status } = rest.tree.byId.get(nodeId) ?? data
  return <NodeDetail key={nodeId} node={{ ...data, status }} {...rest} />
}
