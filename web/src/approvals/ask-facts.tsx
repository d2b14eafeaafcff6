import { TriangleAlert } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../app/texts.ts'
import { Markdown } from '../session/markdown/markdown.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { isProposal } from '../workflows/proposal.ts'
import { WorkflowLink } from '../workflows/workflow-link.tsx'
import { approvalsTexts } from './approvals-texts.ts'

const ProposedWorkflow = lazy(async () => ({
  default: (await import('../workflows/proposed-workflow.tsx')).ProposedWorkflow,
}))

// the rest is in the arguments
const maxShown = 8

/** What is asked for, and why somebody has to be asked. */
export function AskFacts({ approval }: { approval: Approval }) {
  const t = useTexts(approvalsTexts)
  const { toolName, action, kind, resources, outside, reason, input, fallback, status } = approval
  // which task it is, only its arguments say
  const isOfPlan = toolName === 'plan'
  const { parameters = {} } = (input ?? {}) as { parameters?: object }
  const named = isOfPlan ? [...resources, JSON.stringify(parameters)] : resources
  const shown = kind === 'file_access' ? outside : named
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-sm">
      {kind === 'question' ? (
        <p>{t.stepAsks(approval.toolCallId)}</p>
      ) : (
        <p>
          <bdi className="font-mono font-medium">{toolName}</bdi>
          {action !== toolName && <bdi className="font-mono text-muted"> · {action}</bdi>}{' '}
          {isOfPlan ? t.changesPlan : t.kinds[kind]}
        </p>
      )}
      {kind === 'file_access' && (
        <p className="flex gap-1.5 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t.outside}
        </p>
      )}
      {shown.length > 0 && (
        <ul aria-label={t.resources[kind]} className="flex flex-col gap-0.5">
          {shown.slice(0, maxShown).map((resource) => (
            <li key={resource}>
              <code className="block rounded bg-page px-2 py-0.5 font-mono text-[13px] break-all whitespace-pre-wrap">
                <bdi>{resource.slice(0, 2_000)}</bdi>
              </code>
            </li>
          ))}
          {shown.length > maxShown && (
            <li className="text-muted">{t.moreResources(shown.length - maxShown)}</li>
          )}
        </ul>
      )}
      {kind === 'question' && (
        <ScrollRegion label={t.resources.question} className="max-h-72">
          <div dir="auto" className="rounded-md bg-page px-3 py-1">
            <Markdown text={reason} />
          </div>
        </ScrollRegion>
      )}
      <p className="text-muted">
        {/* that it is outside is said above */}
        {kind !== 'file_access' && kind !== 'question' && <bdi>{t.reasons[reason] ?? reason} </bdi>}
        {status === 'pending' && t.fallback[fallback]}
      </p>
      {status === 'pending' && isProposal(approval) && (
        <Suspense>
          <ProposedWorkflow approval={approval} />
        </Suspense>
      )}
      {kind === 'question' && (
        <WorkflowLink
          to={`/workflow-runs/${approval.runId}`}
          className="w-fit text-accent underline underline-offset-2 hover:text-accent-strong"
        >
          {t.openRun}
        </WorkflowLink>
      )}
      <details hidden={kind === 'question' && isAllSaid(approval)}>
        <summary className="w-fit rounded text-muted hover:text-text">{t.arguments}</summary>
        <ScrollRegion label={t.arguments} className="mt-1 max-h-72 rounded bg-page">
          <pre className="px-2 py-1 font-mono text-[13px] leading-5 wrap-anywhere whitespace-pre-wrap">
            {JSON.stringify(input, null, 2)}
          </pre>
        </ScrollRegion>
      </details>
    </div>
  )
}

/** The question may be about something that it does not quote: then that is looked at below it. */
function isAllSaid({ input, reason }: Approval): boolean {
  const { content } = (input ?? {}) as { content?: unknown }
  return typeof content === 'string' ? reason.includes(content.trim()) : content === undefined
}
