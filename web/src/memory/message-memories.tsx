import { BookMarked } from 'lucide-react'
import { useParams } from '@tanstack/react-router'
import { Suspense, useId, useState } from 'react'
import { LazyView } from '../shell/lazy-view.tsx'
import { useTexts } from '../shell/texts.ts'
import { memoryTexts } from './texts.ts'
import { useMadeCount } from './use-memories.ts'

interface Props {
  messageId: string
  metadata: Record<string, unknown> | undefined
}

/** How many memories an answer used and left; which ones is asked when it is opened. */
export function MessageMemories({ messageId, metadata }: Props) {
  const t = useTexts(memoryTexts)
  const { sessionId } = useParams({ strict: false })
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const used = countUsed(metadata)
  const made = useMadeCount(sessionId, messageId)
  // what is forgotten here can be brought back here
  if (used + made === 0 && !isOpen) return null
  const words = [
    ...(used > 0 ? [t.chipUsed(used)] : []),
    ...(made > 0 || used === 0 ? [t.chipMade(made, used === 0)] : []),
  ]
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        data-memories
        onClick={() => setOpen(!isOpen)}
        className="ms-auto flex min-h-7 min-w-0 items-center gap-1.5 rounded-md px-1.5 text-start text-xs text-muted hover:bg-hover hover:text-text"
      >
        <BookMarked aria-hidden className="size-3.5 shrink-0" />
        {words.join(' · ')}
      </button>
      {isOpen && (
        <Suspense>
          <LazyView load={loadList} id={id} messageId={messageId} used={used} />
        </Suspense>
      )}
    </>
  )
}

const loadList = async () => (await import('./message-memory-list.tsx')).MessageMemoryList

/** Metadata of an imported message may be anything. */
function countUsed(metadata: Record<string, unknown> | undefined): number {
  const used = (metadata?.memories as { used?: unknown } | null | undefined)?.used
  return Array.isArray(used) ? used.length : 0
}
