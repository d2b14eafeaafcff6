import { Link } from '@tanstack/react-router'
import { AskById } from '../../approvals/ask.tsx'
import { useTexts } from '../../shell/texts.ts'
import { StatusTag } from '../status-mark.tsx'
import { sessionPlanTexts } from '../texts.ts'
import type { TurnAction } from './turn-actions.ts'

/** One action: what it is, how it stands, and what came of it. */
export function ActionLine({ action }: { action: TurnAction }) {
  const t = useTexts(sessionPlanTexts)
  const { number, name = '', status, message, error, nodeId, approvalId, parameters } = action
  const subject = ['task_name', 'name', 'title', 'query', 'goal']
    .map((key) => parameters?.[key])
    .find((value) => typeof value === 'string')
  return (
    <li
      data-action={number}
      data-status={status}
      className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 px-3 py-1.5"
    >
      <span className="text-muted tabular-nums">{number}.</span>
      <span className="font-medium">{t.actionNames[name as keyof typeof t.actionNames] ?? name}</span>
      {subject !== undefined && <bdi className="max-w-64 truncate text-muted">{subject}</bdi>}
      {nodeId !== undefined && (
        <Link
          to={'.' as string}
          search={((before: object) => ({ ...before, dock: 'plan', node: nodeId })) as never}
          aria-label={t.showNode(nodeId)}
          className="text-accent underline underline-offset-2 hover:text-accent-strong"
        >
          #{nodeId}
        </Link>
      )}
      <span className="ms-auto">
        <StatusTag status={status} />
      </span>
      {status === 'paused' && approvalId !== undefined && (
        <div className="basis-full py-1">
          <AskById id={approvalId} />
        </div>
      )}
      {(error ?? message) && (
        <bdi
          className={`line-clamp-3 basis-full wrap-anywhere ${error || status === 'failed' ? 'text-danger' : 'text-muted'}`}
        >
          {error ?? message}
        </bdi>
      )}
    </li>
  )
}
