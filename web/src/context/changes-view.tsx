import { useMemo, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { CallPicker } from './call-picker.tsx'
import { callBefore, fromBase, toBase, type Call } from './call.ts'
import { ChangeList } from './change-list.tsx'
import { contextTexts } from './texts.ts'
import { ModeSwitch, type DiffMode } from './mode-switch.tsx'
import { diffPrompts } from './prompt-diff.ts'
import { isSent } from './prompt-pieces.ts'
import { useCall, useRuns } from './use-call.ts'
import { useContextSearch } from './use-context-search.ts'
import { VerdictNote } from './verdict-note.tsx'

/** What changed between two model calls, and whether that is why a cache was missed. */
export function ChangesView({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const [search, setSearch] = useContextSearch()
  const [mode, setMode] = useState<DiffMode>('words')
  const runs = useRuns(sessionId)
  const picked = runs.data?.items.find(({ id }) => id === search.run)
  const isKnown = picked !== undefined || runs.data?.nextCursor != null
  const call: Call = isKnown ? { run: search.run, step: search.step } : {}
  const after = useCall(sessionId, runs.data && call, picked?.finishedAt !== undefined)
  const given = search.base === undefined ? undefined : fromBase(search.base)
  const base = given ?? callBefore({ run: call.run, step: after.step }, runs.data?.items ?? [])
  // which step comes before is known only with the number of steps
  const isReady = runs.data !== undefined && (given !== undefined || after.status === 'ready')
  const before = useCall(sessionId, isReady ? base : undefined)
  const changes = useMemo(
    () => before.prompt && after.prompt && diffPrompts(before.prompt, after.prompt),
    [before.prompt, after.prompt],
  )
  if (runs.error) return <Failure error={runs.error} onRetry={runs.refetch} />
  if (!runs.data) return <Loading />
  const failed = [before, after].find(({ status }) => status === 'failed')
  const isEmpty = [before, after].some(({ status }) => status === 'empty')
  const startBefore = before.prompt && isSent(before.prompt) ? before.prompt.windowStart : undefined
  return (
    <div className="flex flex-col gap-3 p-3">
      <CallPicker
        label={t.before}
        runs={runs.data}
        value={base ?? {}}
        steps={before.steps}
        step={before.step}
        onChange={(next) => setSearch({ base: toBase(next) })}
      />
      <CallPicker
        label={t.after}
        runs={runs.data}
        value={call}
        steps={after.steps}
        step={after.step}
        onChange={(next) => setSearch({ run: next.run, step: next.step })}
      />
      {after.prompt && isSent(after.prompt) && (
        <VerdictNote prompt={after.prompt} startBefore={given === undefined ? startBefore : undefined} />
      )}
      {failed ? (
        <Failure error={failed.error} onRetry={failed.retry} />
      ) : isEmpty ? (
        <Empty>{t.nothingSent}</Empty>
      ) : isReady && base === undefined ? (
        <Empty>{t.nothingBefore}</Empty>
      ) : changes === undefined ? (
        <Loading />
      ) : (
        <>
          <ModeSwitch value={mode} onChange={setMode} />
          <ChangeList changes={changes} mode={mode} />
        </>
      )}
    </div>
  )
}
