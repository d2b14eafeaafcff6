import type { ReactNode } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import type { MemoryFilter } from './memory-query.ts'
import { MemoryRow } from './memory-row.tsx'
import { memoryTexts } from './texts.ts'
import { useMemories } from './use-memories.ts'

interface Props {
  filter: MemoryFilter
  /** What is said where there is none. */
  empty: ReactNode
}

export function MemoryList({ filter, empty }: Props) {
  const t = useTexts(memoryTexts)
  const { data, error, refetch, isPlaceholderData, ...pages } = useMemories(filter)
  const items = data?.pages.flatMap((page) => page.items)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!items) return <Loading />
  if (items.length === 0) return <Empty>{empty}</Empty>
  return (
    <>
      <ul aria-label={t.list} aria-busy={isPlaceholderData} className="flex flex-col gap-2">
        {items.map((memory) => (
          <MemoryRow key={memory.id} memory={memory} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          className="self-center"
          disabled={pages.isFetchingNextPage || isPlaceholderData}
          onClick={() => void pages.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </>
  )
}
