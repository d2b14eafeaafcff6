import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { contextKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { contextTexts } from './texts.ts'
import { MemoCompare } from './memo-compare.tsx'
import { MemoVersionRow } from './memo-version-row.tsx'
import { UndoDialog } from './undo-dialog.tsx'

interface Props {
  sessionId: string
  /** The number of the newest version. */
  newest: number
}

/** Every version of the memo, what one changed against another, and the way back. */
export function MemoHistory({ sessionId, newest }: Props) {
  const t = useTexts(contextTexts)
  const client = useClient()
  const scope = useScope()
  const [pair, setPair] = useState<{ before: number; after: number }>()
  const [undoing, setUndoing] = useState<number>()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: contextKeys.memoVersions(sessionId),
    queryFn: ({ pageParam }) =>
      client.sessions.memoVersions(sessionId, { scope, limit: 20, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const versions = data.pages.flatMap(({ items }) => items)
  const shown = pair ?? { before: newest - 1, after: newest }
  return (
    <>
      <MemoCompare versions={versions} {...shown} onChange={setPair} />
      <section className="flex flex-col">
        <h3 className="pb-1 text-sm font-semibold">{t.versions}</h3>
        <ol className="flex flex-col">
          {versions.map((version) => (
            <MemoVersionRow
              key={version.version}
              version={version}
              isNewest={version.version === newest}
              onCompare={() => setPair({ before: version.version - 1, after: version.version })}
              onUndo={() => setUndoing(version.version)}
            />
          ))}
        </ol>
        {hasNextPage && (
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t.olderVersions}
          </Button>
        )}
      </section>
      {undoing !== undefined && (
        <UndoDialog sessionId={sessionId} version={undoing} onClose={() => setUndoing(undefined)} />
      )}
    </>
  )
}
