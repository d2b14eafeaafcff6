import { clsx } from 'clsx'
import { memo, type CSSProperties } from 'react'
import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SessionLink } from '../../ui/session-link.tsx'
import { Tag } from '../../ui/tag.tsx'
import { StatusTag } from '../status-tag.tsx'
import { StepIcon, typeNameOf } from '../step-icons.ts'
import { WorkflowLink } from '../workflow-link.tsx'
import { workflowTexts, runTexts } from '../texts.ts'
import { Elapsed } from '../../ui/elapsed.tsx'
import { headClasses, rowClasses } from './row-classes.ts'
import { StepResult } from './step-result.tsx'

interface Props {
  step: WorkflowStep
  depth: number
  isSelected: boolean
}

/** A step of a run: how it stands, and what it said. */
export const StepRow = memo(function StepRow({ step, depth, isSelected }: Props) {
  const t = useTexts(runTexts)
  const { types } = useTexts(workflowTexts)
  return (
    <tr
      data-run-step={step.stepId}
      data-path={step.path}
      className={clsx(rowClasses, isSelected && 'bg-selected')}
    >
      <th scope="row" title={step.path} className={headClasses} style={{ '--depth': depth } as CSSProperties}>
        <span className="flex max-w-72 items-start gap-1.5">
          <StepIcon
            type={step.type}
            role="img"
            aria-label={typeNameOf(types, step.type)}
            className="mt-0.5 size-4 shrink-0 text-muted"
          />
          <bdi className="min-w-0 truncate font-mono text-[13px]">{step.stepId}</bdi>
        </span>
      </th>
      <td>
        <span className="flex flex-wrap gap-1">
          <StatusTag status={step.status} />
          {step.attempt > 1 && <Tag>{t.attempts(step.attempt)}</Tag>}
          {step.reused && <Tag>{t.reused}</Tag>}
          {step.degraded && step.status === 'completed' && <Tag state="degraded">{t.degraded}</Tag>}
        </span>
        {step.retryAt !== undefined && (
          <span className="block text-xs text-muted">
            {t.retryAt} <RelativeTime time={step.retryAt} />
          </span>
        )}
      </td>
      <td>
        <Elapsed startedAt={step.startedAt} finishedAt={step.finishedAt} />
      </td>
      <td className="w-full min-w-52 max-sm:order-last max-sm:min-w-0 max-sm:basis-full max-sm:empty:hidden">
        <StepResult step={step} />
      </td>
      <td className="whitespace-nowrap max-sm:empty:hidden">
        {step.type === 'workflow' && step.runId !== undefined ? (
          <WorkflowLink to={`/workflow-runs/${step.runId}`}>{t.openRun}</WorkflowLink>
        ) : (
          step.sessionId !== undefined && (
            <SessionLink sessionId={step.sessionId}>{t.openSession}</SessionLink>
          )
        )}
      </td>
    </tr>
  )
})
