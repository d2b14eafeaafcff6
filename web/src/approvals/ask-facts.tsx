import { EyeOff, TriangleAlert } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../app/texts.ts'
import { useNumbers } from '../context/use-numbers.ts'
import { Markdown } from '../session/markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { isProposal } from '../workflows/proposal.ts'
import { WorkflowLink } from '../workflows/workflow-link.tsx'
import { approvalsTexts } from './approvals-texts.ts'
import { AskText } from './ask-text.tsx'
import type { AskView, SeenText } from './ask-view.ts'

const ProposedWorkflow = lazy(async () => ({
  default: (await import('../workflows/proposed-workflow.tsx')).ProposedWorkflow,
}))

interface Props {
  approval: Approval
  view: AskView
  onShowAll(): void
}

/** What is asked for, whole or with a mark that it is not, and why somebody has to be asked. */
export function AskFacts({ approval, view, onShowAll }: Props) {
  const t = useTexts(approvalsTexts)
  const { toolName, action, kind, reason, fallback, status } = approval
  const { touched, given, left } = view
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-sm">
      {kind === 'question' ? (
        <p>{t.stepAsks(approval.toolCallId)}</p>
      ) : (
        <p>
          <bdi className="font-mono font-medium">{toolName}</bdi>
          {action !== toolName && <bdi className="font-mono text-muted"> · {action}</bdi>}{' '}
          {toolName === 'plan' ? t.changesPlan : t.kinds[kind]}
        </p>
      )}
      {kind === 'file_access' && (
        <p className="flex gap-1.5 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t.outside}
        </p>
      )}
      <AskTexts label={t.resources[kind]} texts={touched} />
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
      <AskTexts label={t.arguments} texts={given} />
      {left && <Left left={left} onShowAll={onShowAll} />}
    </div>
  )
}

function AskTexts({ label, texts }: { label: string; texts: readonly SeenText[] }) {
  return (
    texts.length > 0 && (
      <ul aria-label={label} className="flex flex-col gap-0.5">
        {[...texts.entries()].map(([place, text]) => (
          <AskText key={place} {...text} />
        ))}
      </ul>
    )
  )
}

function Left({ left, onShowAll }: { left: NonNullable<AskView['left']>; onShowAll(): void }) {
  const t = useTexts(approvalsTexts)
  const { count } = useNumbers()
  const [characters, lines, items] = [left.characters, left.lines, left.items].map(count)
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-warning">
      <EyeOff aria-hidden className="size-4 shrink-0" />
      {left.characters > 0 && t.leftCharacters(characters!, lines!)}
      {left.items > 0 && t.leftItems(items!)}
      <Button size="small" data-answer="show-all" onClick={onShowAll}>
        {t.showAll}
      </Button>
    </p>
  )
}
