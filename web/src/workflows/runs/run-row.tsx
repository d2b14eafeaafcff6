import type { WorkflowRunSummary } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { isOver } from '../run-statuses.ts'
import { StatusTag } from '../status-tag.tsx'
import { WorkflowLink } from '../workflow-link.tsx'
import { Elapsed } from '../../ui/elapsed.tsx'
import { runTexts } from '../texts.ts'

export function RunRow({ run }: { run: WorkflowRunSummary }) {
  const t = useTexts(runTexts)
  const { id, name, status, trigger, version, createdAt, startedAt, error } = run
  return (
    <li className="px-3 py-2.5" data-run={id}>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <WorkflowLink
          to={`/workflow-runs/${id}`}
          className="line-clamp-2 min-w-0 font-medium hover:underline"
        >
          <bdi>{name}</bdi>
        </WorkflowLink>
        <StatusTag status={status} />
        <span className="flex-1" />
        <RelativeTime time={createdAt} className="text-sm text-muted" />
      </div>
      <p className="text-sm text-muted">
        {t.triggers[trigger]}
        {version !== undefined && ` · ${t.version(version)}`}
        {startedAt !== undefined && (
          <>
            {' · '}
            {isOver(status) ? t.duration : t.soFar} <Elapsed {...run} />
          </>
        )}
      </p>
      {error && status !== 'cancelled' && (
        <p className="line-clamp-2 text-sm text-danger">
          <bdi>{error}</bdi>
        </p>
      )}
    </li>
  )
}
