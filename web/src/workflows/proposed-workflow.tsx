import { useQuery } from '@tanstack/react-query'
import type { Approval, ParleyClient } from '../../../src/client/index.ts'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { DiffText } from '../context/diff-text.tsx'
import { proposalOf, type Proposal } from './proposal.ts'
import { workflowTexts } from './texts.ts'

/** What a model wants to change, against what is saved: seen before one says yes. */
export function ProposedWorkflow({ approval }: { approval: Approval }) {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const proposal = proposalOf(approval)
  const { data, isPending } = useQuery({
    queryKey: workflowKeys.workflows({ scope, proposal: approval.id }),
    queryFn: () => findCurrent(client, scope, approval.sessionId, proposal!),
    enabled: proposal !== undefined && !proposal.isNew,
    retry: false,
  })
  if (!proposal || (!proposal.isNew && isPending)) return null
  const label = data ? t.proposed(data.name) : t.proposedNew
  return (
    <section aria-label={label} className="overflow-hidden rounded-md border border-line">
      <h4 className="bg-hover px-2 py-1 text-sm font-medium">
        <bdi>{label}</bdi>
      </h4>
      {data?.text === proposal.text ? (
        <p className="p-2 text-sm text-muted">{t.proposedSame}</p>
      ) : (
        <DiffText label={label} before={data?.text ?? ''} after={proposal.text} mode="lines" />
      )}
    </section>
  )
}

/** By its id, by its name, or as the one that the session edits; null where there is none. */
async function findCurrent(
  client: ParleyClient,
  scope: string | undefined,
  sessionId: string,
  { id, name }: Proposal,
): Promise<Workflow | null> {
  if (id !== undefined) return client.workflows.get(id, { scope })
  const { items } = await client.workflows.list({ scope, q: name, limit: 200 })
  const found = items.find((item) =>
    name === undefined ? item.managementSessionId === sessionId : item.name === name,
  )
  return found ? client.workflows.get(found.id, { scope }) : null
}
