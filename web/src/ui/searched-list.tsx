import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { SearchBox } from './search-box.tsx'
import { Empty, Failure, Loading } from './states.tsx'

interface Props {
  texts: Record<'title' | 'search' | 'clear' | 'none' | 'noneFound' | 'add' | 'more', string>
  /** The words that are searched. */
  words: string | undefined
  query: {
    error: Error | null
    isPending: boolean
    refetch(): unknown
    hasNextPage: boolean
    fetchNextPage(): unknown
  }
  /** A row each. */
  rows: readonly ReactNode[]
  onSearch(words: string | undefined): void
  onAdd(): void
}

/** All things of a kind, page by page, with a box to search them. */
export function SearchedList({ texts: t, words, query, rows, onSearch, onAdd }: Props) {
  const { error, isPending, refetch, hasNextPage, fetchNextPage } = query
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-3 p-4">
      <SearchBox
        label={t.search}
        clearLabel={t.clear}
        value={words ?? ''}
        onChange={(typed) => onSearch(typed || undefined)}
      />
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : rows.length === 0 ? (
        <Empty>
          <p className="max-w-prose">{words ? t.noneFound : t.none}</p>
          {!words && <Button onClick={onAdd}>{t.add}</Button>}
        </Empty>
      ) : (
        <ul aria-label={t.title} className="divide-y divide-line rounded-lg border border-line">
          {rows}
        </ul>
      )}
      {hasNextPage && (
        <Button className="self-center" onClick={() => void fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </div>
  )
}
