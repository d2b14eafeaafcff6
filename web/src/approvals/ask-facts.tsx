import { TriangleAlert } from 'lucide-react'
import { Suspense } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useContributions } from '../shell/features-context.tsx'
import { LazyView } from '../shell/lazy-view.tsx'
import { useTexts } from '../shell/texts.ts'
import { approvalsTexts } from './texts.ts'
import { AskTexts, LeftOut, QuestionText } from './ask-texts.tsx'
import type { AskView } from './ask-view.ts'

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
          {approval.planRun ? t.runsPlan : toolName === 'plan' ? t.changesPlan : t.kinds[kind]}
        </p>
      )}
      {kind === 'file_access' && (
        <p className="flex gap-1.5 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t.outside}
        </p>
      )}
      <AskTexts label={t.resources[kind]} texts={touched} />
      {kind === 'question' && <QuestionText text={reason} />}
      <p className="text-muted">
        {/* that it is outside is said above */}
        {kind !== 'file_access' && kind !== 'question' && <bdi>{t.reasons[reason] ?? reason} </bdi>}
        {status === 'pending' && t.fallback[fallback]}
      </p>
      <OfFeatures approval={approval} />
      <AskTexts label={t.arguments} texts={given} />
      <LeftOut left={left} onShowAll={onShowAll} />
    </div>
  )
}

/** What features know of such an ask. */
function OfFeatures({ approval }: { approval: Approval }) {
  return useContributions('asks')
    .filter(({ appliesTo }) => appliesTo(approval))
    .map(({ load }, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- which ones apply stays as it is
      <Suspense key={index}>
        <LazyView load={load} approval={approval} />
      </Suspense>
    ))
}
