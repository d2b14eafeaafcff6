import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { sessionTexts } from './texts.ts'
import type { Alternatives } from './variants.ts'

interface Props {
  alternatives: Alternatives
  onOpen(sessionId: string): void
}

/** Leads to what else was said at this place. */
export function VariantPager({ alternatives: { index, sessionIds }, onOpen }: Props) {
  const t = useTexts(sessionTexts)
  const [previous, next] = [sessionIds[index - 1], sessionIds[index + 1]]
  return (
    <div role="group" aria-label={t.variants} className="flex items-center text-xs text-muted">
      <IconButton
        size="small"
        label={t.previousVariant}
        data-variant-prev
        disabled={previous === undefined}
        onClick={() => previous !== undefined && onOpen(previous)}
      >
        <ChevronLeft />
      </IconButton>
      <span className="tabular-nums">
        <span aria-hidden>{t.variant(index + 1, sessionIds.length)}</span>
        <span className="sr-only">{t.variantLabel(index + 1, sessionIds.length)}</span>
      </span>
      <IconButton
        size="small"
        label={t.nextVariant}
        data-variant-next
        disabled={next === undefined}
        onClick={() => next !== undefined && onOpen(next)}
      >
        <ChevronRight />
      </IconButton>
    </div>
  )
}
