import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { PageFrame } from '../ui/page-frame.tsx'
import { MemoryAdd } from './memory-add.tsx'
import { MemoryFilters } from './memory-filters.tsx'
import { MemoryList } from './memory-list.tsx'
import { problemOf, readFilter, type MemoryFilter, type MemoryFilterName } from './memory-query.ts'
import { memoryTexts } from './texts.ts'

/** What is remembered in the scope. In the URL: `q`, `layer`, `type`, `status`, `session`. */
export function Page() {
  const t = useTexts(memoryTexts)
  const [search, setSearch] = useSearchState<MemoryFilterName>()
  const filter = readFilter(search)
  return (
    <PageFrame title={t.title}>
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4">
        <MemoryFilters filter={filter} onChange={setSearch} />
        <MemoryAdd />
        {problemOf(filter) === undefined && (
          <MemoryList filter={filter} empty={<Nothing filter={filter} />} />
        )}
      </div>
    </PageFrame>
  )
}

function Nothing({ filter: { layer, type, session, q, status } }: { filter: MemoryFilter }) {
  const t = useTexts(memoryTexts)
  if (layer ?? type ?? session ?? q) return <p>{t.noneFound}</p>
  if (status === 'deleted') return <p>{t.noneDeleted}</p>
  return (
    <>
      <p>{t.none}</p>
      <p className="text-sm">{t.noneHint}</p>
    </>
  )
}
