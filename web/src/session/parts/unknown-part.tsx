import { ChevronRight, Puzzle } from 'lucide-react'
import { memo, useState } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { useTexts } from '../../shell/texts.ts'
import { Tag } from '../../ui/tag.tsx'
import { ValueView } from '../../ui/value-view.tsx'
import { sessionTexts } from '../texts.ts'

/** A part that nobody draws, since it comes from another program or another version: what it is, and on demand what is in it. */
export const UnknownPart = memo(function UnknownPart({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  const [isOpen, setOpen] = useState(false)
  const { type, state } = part
  return (
    <div data-unknown-part className="my-2 overflow-hidden rounded-lg border border-line bg-surface">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 px-3 py-1.5 text-start text-sm hover:bg-hover"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-muted ${isOpen ? 'rotate-90' : ''}`} />
        <Puzzle aria-hidden className="size-4 shrink-0 text-muted" />
        <bdi className="min-w-0 truncate font-mono">{type}</bdi>
        <span className="min-w-0 flex-1 truncate text-muted">{t.unknownPart}</span>
        {typeof state === 'string' && (
          <Tag>
            <bdi>{state}</bdi>
          </Tag>
        )}
      </button>
      {isOpen && <ValueView label={t.partContent} value={part} />}
    </div>
  )
})
