import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { Memory } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { classForLongWords } from '../markdown/long-words.ts'
import { memoryTexts } from './texts.ts'

interface Props {
  evidence: string
  origin: Memory['origin']
}

/** The passage that it was made of, folded away: a button in a line that wraps, and below the words. */
export function MemoryEvidence({ evidence, origin }: Props) {
  const t = useTexts(memoryTexts)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 items-center gap-1 rounded hover:text-text"
      >
        <ChevronRight aria-hidden className={`size-3.5 ${isOpen ? 'rotate-90' : ''}`} />
        {t.evidence}
      </button>
      {isOpen && (
        <figure id={id} className="w-full min-w-0 border-s-2 border-line ps-3 text-sm text-text">
          <blockquote dir="auto" className={`whitespace-pre-wrap ${classForLongWords(evidence) ?? ''}`}>
            {evidence}
          </blockquote>
          <figcaption className="text-xs text-muted">{t.evidenceOf[origin]}</figcaption>
        </figure>
      )}
    </>
  )
}
