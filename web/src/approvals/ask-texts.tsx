import { EyeOff } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { approvalsTexts } from './texts.ts'
import { AskText } from './ask-text.tsx'
import type { AskView, SeenText } from './ask-view.ts'

/** A question as it is meant; what Markdown does not draw of it is one of the texts below. */
export function QuestionText({ text }: { text: string }) {
  const t = useTexts(approvalsTexts)
  return (
    <ScrollRegion label={t.resources.question} className="max-h-72">
      <div dir="auto" className="rounded-md bg-page px-3 py-1">
        <Markdown text={text} />
      </div>
    </ScrollRegion>
  )
}

export function AskTexts({ label, texts }: { label: string; texts: readonly SeenText[] }) {
  return (
    texts.length > 0 && (
      <ul aria-label={label} className="flex flex-col gap-0.5">
        {[...texts.entries()].map(([place, text]) => (
          <AskText key={place} {...text} />
        ))}
      </ul>
    )
  )
}

/** How much is not shown, and the way to see it. */
export function LeftOut({ left, onShowAll }: { left: AskView['left']; onShowAll(): void }) {
  const t = useTexts(approvalsTexts)
  const { count } = useNumbers()
  if (!left) return null
  const [characters, lines, items] = [left.characters, left.lines, left.items].map(count)
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-warning">
      <EyeOff aria-hidden className="size-4 shrink-0" />
      {left.characters > 0 && t.leftCharacters(characters!, lines!)}
      {left.items > 0 && t.leftItems(items!)}
      <Button size="small" data-answer="show-all" onClick={onShowAll}>
        {t.showAll}
      </Button>
    </p>
  )
}
