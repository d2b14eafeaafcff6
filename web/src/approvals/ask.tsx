import { LoaderCircle } from 'lucide-react'
import { ParleyError, type Approval } from '../../../src/client/index.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { approvalsTexts } from './texts.ts'
import { AskControls } from './ask-controls.tsx'
import { AskFacts } from './ask-facts.tsx'
import { TimeLeft } from './time-left.tsx'
import { useApproval } from './use-approvals.ts'
import { useAskView } from './use-ask-view.ts'

/** An ask with what is asked for and the buttons to answer it; what became of it, once somebody has. */
export function Ask({ approval }: { approval: Approval }) {
  const t = useTexts(approvalsTexts)
  const { status, expiresAt, decidedBy } = approval
  const { view, showAll } = useAskView(approval)
  if (status !== 'pending')
    return (
      <p className={status === 'approved' ? 'text-sm' : 'text-sm text-warning'} data-ask={status}>
        {t.settled[status]} {decidedBy && <bdi className="text-muted">{t.decidedBy(decidedBy)}</bdi>}
      </p>
    )
  return (
    <div data-ask="pending" className="flex min-w-0 flex-col gap-2">
      <AskFacts approval={approval} view={view} onShowAll={showAll} />
      <div className="flex flex-wrap items-end justify-between gap-x-3 gap-y-2">
        <div className="min-w-0 grow basis-full sm:basis-0">
          <AskControls approval={approval} isWhole={view.left === undefined} />
        </div>
        <TimeLeft until={expiresAt} />
      </div>
    </div>
  )
}

/** The same, of a call that only knows which ask it is. */
export function AskById({ id }: { id: string }) {
  const t = useTexts(approvalsTexts)
  const { loading, retry, failed } = useTexts(appTexts)
  const { data, error, refetch } = useApproval(id)
  if (data) return <Ask approval={data} />
  if (!error)
    return (
      <p className="flex items-center gap-2 text-sm text-muted">
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
        {loading}
      </p>
    )
  if (error instanceof ParleyError && error.code === 'not_found')
    return <p className="text-sm text-muted">{t.gone}</p>
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <p className="text-danger">{failed(error.message)}</p>
      <Button size="small" onClick={() => void refetch()}>
        {retry}
      </Button>
    </div>
  )
}
