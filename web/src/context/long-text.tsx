import { useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { contextTexts } from './texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'

// more than anybody reads at once, and little enough to be drawn in a moment
const shownLength = 20_000

interface Props {
  text: string
  /** What it is the text of. */
  label: string
}

/** A text as it is, in a box of its own; of a very long one the beginning first. */
export function LongText({ text, label }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > shownLength
  return (
    <div className="relative rounded-md border border-line bg-page">
      <div className="absolute top-1 right-1 rounded-md bg-page">
        <CopyButton text={text} />
      </div>
      <pre
        role="region"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
        tabIndex={0}
        className="max-h-96 overflow-auto p-2 pr-10 font-mono text-xs whitespace-pre-wrap"
      >
        {isCut ? `${text.slice(0, shownLength)}…` : text}
      </pre>
      {isCut && (
        <div className="border-t border-line p-1">
          <Button size="small" variant="ghost" onClick={() => setWhole(true)}>
            {t.showAll(count(text.length))}
          </Button>
        </div>
      )}
    </div>
  )
}
