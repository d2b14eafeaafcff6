import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { windowQuery, memoQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { contextTexts } from './texts.ts'
import { MemoContent } from './memo-content.tsx'
import { MemoEditor } from './memo-editor.tsx'
import { MemoHistory } from './memo-history.tsx'
import { useNumbers } from '../ui/use-numbers.ts'

/** What is kept of messages that left the window, who wrote it, and what it was before. */
export function MemoView({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const client = useClient()
  const scope = useScope()
  const [isEditing, setEditing] = useState(false)
  const memo = useQuery(memoQuery(client, sessionId, scope))
  const window = useQuery(windowQuery(client, sessionId, scope))
  if (memo.error) return <Failure error={memo.error} onRetry={() => void memo.refetch()} />
  if (!memo.data) return <Loading />
  const { version, throughSeq, waiting, sizeAfter } = memo.data
  const isEmpty = Object.keys(memo.data.memo).length === 0
  return (
    <div className="flex flex-col gap-4 p-3">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1 text-sm text-muted">
          {version > 0 && (
            <p>
              <span className="font-medium text-text">{t.memoVersion(version)}</span> ·{' '}
              {t.memoSize(count(sizeAfter))}
            </p>
          )}
          {throughSeq > 0 && <p>{t.memoThrough(throughSeq)}</p>}
          {waiting > 0 && window.data?.effective.memo && <p>{t.memoWaiting(waiting)}</p>}
          {version > 0 && window.data?.effective.memo === false && <p>{t.memoOff}</p>}
        </div>
        <Button size="small" onClick={() => setEditing(true)}>
          {isEmpty ? t.writeMemo : t.editMemo}
        </Button>
      </div>
      {isEmpty ? (
        <Empty>
          <p>{t.memoEmpty}</p>
          <p className="text-sm">{t.memoEmptyHint}</p>
        </Empty>
      ) : (
        <MemoContent sessionId={sessionId} memo={memo.data} />
      )}
      {version > 0 && <MemoHistory sessionId={sessionId} newest={version} />}
      {isEditing && <MemoEditor sessionId={sessionId} memo={memo.data} onClose={() => setEditing(false)} />}
    </div>
  )
}
