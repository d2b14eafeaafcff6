import { useMemo } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { CallPicker } from './call-picker.tsx'
import { contextTexts } from './texts.ts'
import { PieceList } from './piece-list.tsx'
import { PromptSummary } from './prompt-summary.tsx'
import { toPieces } from './prompt-pieces.ts'
import { useCall, useRuns } from './use-call.ts'
import { useContextSearch } from './use-context-search.ts'

/** The prompt as it would be sent now, or as it was sent at an earlier step. */
export function PromptView({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const [search, setSearch] = useContextSearch()
  const runs = useRuns(sessionId)
  // a link to a run of another session shows this one as it is now
  const picked = runs.data?.items.find(({ id }) => id === search.run)
  const isKnown = picked !== undefined || runs.data?.nextCursor != null
  const call = isKnown ? { run: search.run, step: search.step } : {}
  const found = useCall(sessionId, runs.data && call, picked?.finishedAt !== undefined)
  const pieces = useMemo(() => (found.prompt ? toPieces(found.prompt) : []), [found.prompt])
  if (runs.error) return <Failure error={runs.error} onRetry={runs.refetch} />
  if (!runs.data) return <Loading />
  const picker = (
    <CallPicker
      label={t.turn}
      runs={runs.data}
      value={call}
      steps={found.steps}
      step={found.step}
      onChange={(next) => setSearch({ run: next.run, step: next.step })}
    />
  )
  if (found.status === 'ready')
    return (
      <PieceList
        key={`${found.step ?? 'now'} ${call.run}`}
        sessionId={sessionId}
        pieces={pieces}
        isSent={call.run !== undefined}
      >
        {picker}
        <PromptSummary
          prompt={found.prompt!}
          pieces={pieces}
          onWhy={() => setSearch({ view: 'changes', step: found.step, base: undefined })}
        />
      </PieceList>
    )
  return (
    <div className="p-3">
      {picker}
      {found.status === 'loading' && <Loading />}
      {found.status === 'empty' && <Empty>{t.nothingSent}</Empty>}
      {found.status === 'failed' && <Failure error={found.error} onRetry={found.retry} />}
    </div>
  )
}
