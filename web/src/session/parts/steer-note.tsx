import { clsx } from 'clsx'
import { CornerDownRight } from 'lucide-react'
import { memo } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { messageText } from '../../../../src/core/protocol/message-text.ts'
import { useTexts } from '../../shell/texts.ts'
import { classForLongWords } from '../../markdown/long-words.ts'
import { sessionTexts } from '../texts.ts'

/** What was said to the assistant while it worked, at the place where it took it in; folded when no person said it. */
export const SteerNote = memo(function SteerNote({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  const isNudge = typeof part.id === 'string' && part.id.startsWith('nudge-')
  const { parts } = (part.data ?? {}) as { parts?: Part[] }
  const text = messageText({ parts: parts ?? [] })
  if (isNudge)
    return (
      <details className="my-1 text-xs text-muted">
        <summary className="w-fit rounded hover:text-text">{t.reminded}</summary>
        <p dir="auto" className={clsx('mt-1 whitespace-pre-wrap', classForLongWords(text))}>
          {text}
        </p>
      </details>
    )
  return (
    <aside className="my-3 ml-auto w-fit max-w-[85%] rounded-lg border border-line bg-selected px-3 py-2">
      <p className="flex items-center gap-1 text-xs text-muted">
        <CornerDownRight aria-hidden className="size-3.5" />
        {t.steered}
      </p>
      <p dir="auto" className={clsx('whitespace-pre-wrap', classForLongWords(text))}>
        {text}
      </p>
    </aside>
  )
})
