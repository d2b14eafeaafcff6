import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'
import type { Piece, Share } from './prompt-pieces.ts'
import { useNumbers } from '../ui/use-numbers.ts'

interface Props {
  share: Share
  pieces: readonly Piece[]
  note?: string
  isOpen: boolean
  onToggle(): void
}

/** Names one part of a prompt, with how much is in it. */
export function ShareHeading({ share, pieces, note, isOpen, onToggle }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0)
  return (
    <h3 className="border-y border-line bg-hover">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full items-center gap-2 py-1 pr-3 pl-2 text-left text-sm"
      >
        <ChevronRight aria-hidden className={clsx('size-4 shrink-0 text-muted', isOpen && 'rotate-90')} />
        <span className="font-semibold">{t.shares[share]}</span>
        <span className="flex-1 text-muted">{count(pieces.length)}</span>
        {note && <span className="text-xs text-muted">{note}</span>}
        <span className="text-xs text-muted tabular-nums">{t.tokens(count(tokens))}</span>
      </button>
    </h3>
  )
}
