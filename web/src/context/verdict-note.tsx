import { CircleCheck, CircleHelp, CircleX } from 'lucide-react'
import type { SentPrompt } from '../../../src/core/protocol/prompt.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { contextTexts } from './texts.ts'
import { describeVerdict } from './verdict.ts'

interface Props {
  prompt: Pick<SentPrompt, 'cache' | 'windowStart'>
  /** The first message of the window in the call before, where that is known. */
  startBefore?: number
  onWhy?(): void
}

const icons = { hit: CircleCheck, miss: CircleX, first: CircleHelp, unknown: CircleHelp }

/** What the provider's cache made of a call. */
export function VerdictNote({ prompt: { cache, windowStart }, startBefore, onWhy }: Props) {
  const t = useTexts(contextTexts)
  const Icon = icons[cache.verdict]
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-raised p-2 text-sm">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <p className="min-w-0 flex-1">
        <strong className="font-medium">{t.verdictTitle}:</strong>{' '}
        {describeVerdict(cache, t.verdicts, { before: startBefore, now: windowStart })}
      </p>
      {onWhy && cache.verdict !== 'first' && (
        <Button size="small" variant="ghost" onClick={onWhy}>
          {t.why}
        </Button>
      )}
    </div>
  )
}
