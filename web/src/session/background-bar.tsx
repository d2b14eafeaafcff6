import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { ValueView } from '../ui/value-view.tsx'
import { ResultGrade } from './result-grade.tsx'
import { sessionTexts } from './texts.ts'

/** What became of a background session, and how sure one can be of it. Nothing while it goes on. */
export function BackgroundBar({ session }: { session: Session }) {
  const t = useTexts(sessionTexts)
  const [isOpen, setOpen] = useState(false)
  const { bgResult, bgResultSource, bgDegraded, bgStructuredData, bgArtifacts } = session
  if (bgResultSource === undefined) return null
  const hasMore = Boolean(bgResult || bgStructuredData || bgArtifacts?.length)
  return (
    <section aria-label={t.result} className="border-b border-line bg-surface">
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-2 px-4 py-1.5 text-sm">
        {hasMore ? (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="flex min-w-0 flex-1 items-center gap-1 rounded-md hover:text-accent"
          >
            <ChevronRight aria-hidden className={`size-4 shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
            <span className="shrink-0 font-medium">{t.result}</span>
            {!isOpen && <bdi className="min-w-0 truncate text-muted">{bgResult?.slice(0, 200)}</bdi>}
          </button>
        ) : (
          <span className="flex-1 font-medium">{t.result}</span>
        )}
        <ResultGrade source={bgResultSource} isDegraded={bgDegraded} />
      </div>
      {isOpen && (
        <div className="mx-auto max-h-96 max-w-3xl overflow-y-auto px-1 pb-2">
          {bgResult && <ValueView label={t.result} value={bgResult} />}
          {bgStructuredData && <ValueView label={t.data} value={bgStructuredData} />}
          {bgArtifacts && bgArtifacts.length > 0 && (
            <ValueView label={t.artifacts} value={bgArtifacts.join('\n')} />
          )}
        </div>
      )}
    </section>
  )
}
