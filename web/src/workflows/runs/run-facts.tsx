import type { ReactNode } from 'react'
import type { WorkflowRun } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusTag } from '../status-tag.tsx'
import { WorkflowLink } from '../workflow-link.tsx'
import { Elapsed } from '../../ui/elapsed.tsx'
import { runTexts } from '../texts.ts'

// that it was made and begun at once need not be said twice
const noticedMs = 2_000

/** How a run stands, and where it comes from. */
export function RunFacts({ run }: { run: WorkflowRun }) {
  const t = useTexts(runTexts)
  const { status, trigger, workflowId, version, name, createdAt, startedAt, finishedAt } = run
  const args = Object.entries(run.args)
  const waitedMs = startedAt === undefined ? Infinity : Date.parse(startedAt) - Date.parse(createdAt)
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <StatusTag status={status} />
        {startedAt !== undefined && <Elapsed startedAt={startedAt} finishedAt={finishedAt} />}
      </div>
      {run.error && (
        <p
          role="alert"
          className={`text-sm whitespace-pre-wrap ${status === 'cancelled' ? 'text-muted' : 'text-danger'}`}
        >
          {run.error}
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] [&>dt]:text-muted">
        <Fact label={t.definition}>
          {workflowId === undefined ? (
            t.inline
          ) : (
            <WorkflowLink
              to={`/workflows/${workflowId}`}
              search={version === undefined ? {} : { tab: 'versions', shown: String(version) }}
            >
              <bdi>{name}</bdi>
              {version !== undefined && `, ${t.version(version)}`}
            </WorkflowLink>
          )}
        </Fact>
        <Fact label={t.trigger}>{t.triggers[trigger]}</Fact>
        {waitedMs >= noticedMs && (
          <Fact label={t.created}>
            <RelativeTime time={createdAt} />
          </Fact>
        )}
        {startedAt !== undefined && (
          <Fact label={t.begun}>
            <RelativeTime time={startedAt} />
          </Fact>
        )}
        {finishedAt !== undefined && (
          <Fact label={t.ended}>
            <RelativeTime time={finishedAt} />
          </Fact>
        )}
        {run.rerunOf !== undefined && (
          <Fact label={t.repeats}>
            <WorkflowLink to={`/workflow-runs/${run.rerunOf}`}>{t.anotherRun}</WorkflowLink>
          </Fact>
        )}
        {run.parentRunId !== undefined && (
          <Fact label={t.partOf}>
            <WorkflowLink to={`/workflow-runs/${run.parentRunId}`}>{t.anotherRun}</WorkflowLink>
          </Fact>
        )}
        {run.failedSteps && run.failedSteps.length > 0 && (
          <Fact label={t.failedSteps}>
            <bdi className="text-danger">{run.failedSteps.join(', ')}</bdi>
          </Fact>
        )}
        <Fact label={t.args}>
          {args.length === 0 ? (
            t.noArgs
          ) : (
            <ul aria-label={t.args}>
              {args.map(([key, value]) => (
                <li key={key} className="line-clamp-3">
                  <bdi className="font-mono text-[13px]">{key}</bdi>:{' '}
                  <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
                </li>
              ))}
            </ul>
          )}
        </Fact>
      </dl>
    </section>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)
