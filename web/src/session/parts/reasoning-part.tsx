import { Brain, ChevronRight } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { sessionTexts } from '../texts.ts'

interface Props {
  text: string
  isStreaming: boolean
}

/** What the model thought: open while it thinks, folded away after; whoever opens or closes it is obeyed. */
export const ReasoningPart = memo(function ReasoningPart({ text, isStreaming }: Props) {
  const t = useTexts(sessionTexts)
  const [chosen, setChosen] = useState<boolean>()
  const seconds = useSecondsOf(isStreaming)
  const isOpen = chosen ?? isStreaming
  const title = isStreaming ? t.thinking : seconds === undefined ? t.thought : t.thoughtFor(seconds)
  return (
    <div className="my-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
        className="flex items-center gap-1.5 rounded-md py-0.5 text-sm text-muted hover:text-text"
      >
        <Brain aria-hidden className="size-4" />
        {title}
        <ChevronRight aria-hidden className={`size-4 ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && (
        <div className="mt-1 ml-2 border-l-2 border-line pl-3 text-sm text-muted">
          <Markdown text={text} isStreaming={isStreaming} />
        </div>
      )}
    </div>
  )
})

/** How long it was watched; unknown when it was over before it was looked at. */
function useSecondsOf(isStreaming: boolean): number | undefined {
  const since = useRef<number>(undefined)
  const [seconds, setSeconds] = useState<number>()
  useEffect(() => {
    if (isStreaming) since.current ??= performance.now()
    else if (since.current !== undefined)
      setSeconds(Math.max(1, Math.round((performance.now() - since.current) / 1_000)))
  }, [isStreaming])
  return seconds
}
