import { Link } from '@tanstack/react-router'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { Empty } from '../ui/states.tsx'
import { MemoryAdd } from './memory-add.tsx'
import { MemoryList } from './memory-list.tsx'
import { memoryTexts } from './texts.ts'

/** What was learned in the session that is open, or is about it. */
export function MemoryPanel({ sessionId }: { sessionId?: string }) {
  const keepSearch = useKeptSearch()
  const t = useTexts(memoryTexts)
  return (
    <div className="flex flex-col gap-3 p-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <p className="text-muted">{sessionId === undefined ? '' : t.here}</p>
        <Link
          to="/memory"
          search={keepSearch({ dock: undefined })}
          className="text-accent underline underline-offset-2 hover:text-accent-strong"
        >
          {t.all}
        </Link>
      </div>
      {sessionId === undefined ? (
        <Empty>
          <p className="text-sm">{t.noSession}</p>
        </Empty>
      ) : (
        <>
          <MemoryAdd sessionId={sessionId} />
          <MemoryList
            key={sessionId}
            filter={{ session: sessionId, status: 'active' }}
            empty={<p className="text-sm">{t.noneHere}</p>}
          />
        </>
      )}
    </div>
  )
}
