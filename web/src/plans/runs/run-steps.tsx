import { Link } from '@tanstack/react-router'
import type { PlanRun, PlanStep } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { useKeptSearch } from '../../shell/features-context.tsx'
import { useTexts } from '../../shell/texts.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SessionLink } from '../../ui/session-link.tsx'
import { Elapsed } from '../../ui/elapsed.tsx'
import { StatusMark } from '../status-mark.tsx'
import { isUndone } from '../status.ts'
import { planRunTexts } from '../texts.ts'

interface Props {
  run: PlanRun
  className?: string
  onGoTo(nodeId: number): void
}

// what a person can look through; a run of a large plan has thousands
const mostShown = 200

/** What a run does, one after the other. */
export function RunSteps({ run, className = '', onGoTo }: Props) {
  const t = useTexts(planRunTexts)
  const shown = run.steps.length <= mostShown ? run.steps : notable(run.steps)
  if (run.steps.length === 0) return <p className="px-4 py-2 text-sm text-muted">{t.noSteps}</p>
  return (
    <ScrollBox label={t.steps} className={className}>
      <ol className="divide-y divide-line text-sm">
        {shown.map((step) => (
          <StepLine key={step.number} step={step} onGoTo={onGoTo} />
        ))}
      </ol>
      {shown.length < run.steps.length && (
        <p className="px-4 py-2 text-sm text-muted">{t.notShown(run.steps.length - shown.length)}</p>
      )}
    </ScrollBox>
  )
}

/** What goes on and what went wrong. */
const notable = (steps: readonly PlanStep[]) =>
  steps
    .filter(({ status }) => status === 'running' || status === 'paused' || isUndone(status))
    .slice(0, mostShown)

function StepLine({ step, onGoTo }: { step: PlanStep; onGoTo(nodeId: number): void }) {
  const keepSearch = useKeptSearch()
  const t = useTexts(planRunTexts)
  const { number, nodeId, title, status, attempts, message, error, sessionId, retryAt, approvalId } = step
  return (
    <li data-step={number} data-status={status} className="flex items-start gap-2 px-4 py-1.5">
      <StatusMark status={status} className="mt-1" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          {nodeId === undefined ? (
            <bdi className="min-w-0 wrap-anywhere">{title}</bdi>
          ) : (
            <button
              type="button"
              onClick={() => onGoTo(nodeId)}
              className="min-h-6 max-w-full rounded text-start wrap-anywhere hover:underline"
            >
              <bdi>{title}</bdi>
            </button>
          )}
          {attempts > 1 && <span className="text-xs text-muted">{t.attempts(attempts)}</span>}
          <span className="text-xs text-muted">
            <Elapsed startedAt={step.startedAt} finishedAt={step.finishedAt} />
          </span>
        </p>
        {message && !error && <bdi className="line-clamp-2 wrap-anywhere text-muted">{message}</bdi>}
        {error && <bdi className="line-clamp-3 wrap-anywhere text-danger">{error}</bdi>}
        {retryAt !== undefined && status === 'pending' && (
          <p className="text-xs text-muted">
            {t.retryAt} <RelativeTime time={retryAt} />
          </p>
        )}
        {approvalId !== undefined && status === 'paused' && (
          <Link to="/approvals" search={keepSearch()} className="text-accent underline underline-offset-2">
            {t.asks}
          </Link>
        )}
      </div>
      {sessionId !== undefined && <SessionLink sessionId={sessionId}>{t.session}</SessionLink>}
    </li>
  )
}
